//! Classifies the members of collections by availability, change and context, and
//! proposes the next step.
//!
//! A changed member is compared with its *context*: other members of its collection that did
//! not change. The collection declares which members form the context ([`ContextKind`]).

use relink_change::{
    AngleBand, AngleSettings, Background, Change, Collection, Context, ContextFlag, ContextScore,
    Corpus, CorpusBuilder, HybridScore, PaperContext, Signature, TermSettings, TermVector,
    VolatileParts, compare,
};
use relink_model::Verdict;
use serde::{Deserialize, Serialize};

use crate::outline::ContextKind;

/// Maximum number of members of a context. A sample of this size has the same
/// topics as a longer list.
const MAX_CONTEXT: usize = 100;

/// Maximum number of other collections (*rivals*) that a page is compared with.
const MAX_RIVALS: usize = 12;

/// Minimum number of members of a context.
const MIN_CONTEXT: usize = 3;

/// Number of members before and after a member that are its neighbors.
const NEIGHBORS: usize = 3;

/// The state of a member in its collection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MemberState {
    /// The page belongs to the collection.
    #[default]
    Active,
    /// The current page is unacceptable; a replacement is needed.
    Rejected,
    /// The page was removed; its annotation stays until the gap is filled or
    /// closed.
    Gap,
    /// The gap is closed.
    Closed,
}

impl MemberState {
    /// Returns the name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Rejected => "rejected",
            Self::Gap => "gap",
            Self::Closed => "closed",
        }
    }
}

/// Whether a page can be reached.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Availability {
    /// The page was not checked yet.
    #[default]
    Unchecked,
    /// The page responds with its content.
    Available,
    /// The page is probably unavailable for a short time only.
    Temporary,
    /// The page is probably gone for good.
    Permanent,
}

impl Availability {
    /// Returns the availability of a page with this verdict.
    pub const fn from_verdict(verdict: Option<Verdict>) -> Self {
        match verdict {
            None => Self::Unchecked,
            Some(Verdict::Alive | Verdict::Moved | Verdict::Drifted | Verdict::AtRisk) => {
                Self::Available
            }
            Some(Verdict::Failing | Verdict::Blocked) => Self::Temporary,
            Some(Verdict::Dead | Verdict::Soft404 | Verdict::Hijacked | Verdict::Local) => {
                Self::Permanent
            }
        }
    }
}

/// A version of a page, as far as a review needs it.
#[derive(Debug, Clone, PartialEq)]
pub struct VersionSummary {
    /// The signature; `None` if it was not loaded because the page did not change.
    pub signature: Option<Signature>,
    /// The terms of title and text.
    pub terms: TermVector,
}

/// A member to review.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReviewMember {
    /// The state.
    pub state: MemberState,
    /// Whether the page can be reached.
    pub availability: Availability,
    /// The annotation, which belongs to the context.
    pub annotation: String,
    /// The accepted version.
    pub reference: Option<VersionSummary>,
    /// The latest version, if it is not the accepted one.
    pub latest: Option<VersionSummary>,
    /// The volatile parts of the page.
    pub volatile: VolatileParts,
    /// Whether the user muted the member.
    pub is_muted: bool,
}

/// A collection to review.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ReviewedList {
    /// The name of the outermost collection.
    pub root: String,
    /// The declared context.
    pub context: ContextKind,
    /// The description and tags.
    pub description: String,
    /// The settings of the paper's angle.
    pub angle: AngleSettings,
    /// The members in order.
    pub members: Vec<ReviewMember>,
}

/// How a changed page fits its collection.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct ContextJudgment {
    /// The angle of the accepted version to the context, in degrees.
    pub angle_before: f64,
    /// The angle of the latest version to the context, in degrees.
    pub angle_after: f64,
    /// The band of the difference (Walden's Paths).
    pub band: AngleBand,
    /// The probability that the page comes from another collection.
    pub score: f64,
    /// The classification by the score.
    pub flag: ContextFlag,
    /// The classification of the accepted version by the score.
    pub flag_before: ContextFlag,
    /// The content change multiplied by the score.
    pub hybrid: f64,
}

impl ContextJudgment {
    /// Whether the page left the topic of its collection: it is out of place, and the change
    /// is the reason. A page that was out of place before did not leave, unless its angle
    /// moved away from the context.
    pub fn has_left_topic(&self) -> bool {
        let is_new = self.flag_before != ContextFlag::OutOfPlace || self.band == AngleBand::Away;
        self.flag == ContextFlag::OutOfPlace && is_new
    }
}

/// The proposed next step.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum NextStep {
    /// Nothing to do.
    None,
    /// Check the page.
    Run,
    /// Wait for the next check.
    Wait,
    /// Accept the change: the page still fits.
    Accept,
    /// Read the change and decide.
    Review,
    /// Reject the page: it left the topic of its collection.
    Reject,
    /// Replace the page.
    Replace,
    /// Fill or close the gap.
    Fill,
}

impl NextStep {
    /// Returns the name.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Run => "run",
            Self::Wait => "wait",
            Self::Accept => "accept",
            Self::Review => "review",
            Self::Reject => "reject",
            Self::Replace => "replace",
            Self::Fill => "fill",
        }
    }
}

/// The result for one member.
#[derive(Debug, Clone, PartialEq)]
pub struct MemberReview {
    /// The visible change since the accepted version.
    pub change: Option<Change>,
    /// The context of a changed page; `None` if there are too few other pages.
    pub context: Option<ContextJudgment>,
    /// The proposed next step.
    pub next_step: NextStep,
}

/// Reviews all members of all lists.
pub fn review(lists: &[ReviewedList]) -> Vec<Vec<MemberReview>> {
    let mut pages = CorpusBuilder::default();
    let references = lists.iter().flat_map(|list| &list.members).filter_map(reference_terms);
    references.for_each(|terms| pages.add(&terms));
    let corpus = pages.finish(Background::builtin());
    let reviewer = Reviewer::new(lists, &corpus);
    let reviews = (0..lists.len()).map(|index| reviewer.review_list(index));
    reviews.collect()
}

/// Judges a page that may replace a member. The page is treated as a new version of the member,
/// whose accepted version is `accepted`.
pub fn judge_candidate(
    list: &ReviewedList,
    accepted: &VersionSummary,
    candidate: &VersionSummary,
) -> Option<ContextJudgment> {
    let mut pages = CorpusBuilder::default();
    list.members.iter().filter_map(reference_terms).for_each(|terms| pages.add(&terms));
    let corpus = pages.finish(Background::builtin());
    let lists = std::slice::from_ref(list);
    let reviewer = Reviewer::new(lists, &corpus);
    let terms = reviewer.context_terms(0, None);
    let member = ReviewMember {
        reference: Some(accepted.clone()),
        latest: Some(candidate.clone()),
        ..ReviewMember::default()
    };
    let content = visible_change(&member).map_or(0.0, |change| change.content);
    let paper = PaperContext::new(&terms, list.angle.clone());
    Reviewer::judge(&member, content, &paper, &reviewer.build_context(&terms), &[])
}

/// Lists with their changes, prepared for comparisons.
#[derive(Debug)]
pub struct Reviewer<'l> {
    lists: &'l [ReviewedList],
    corpus: &'l Corpus<'l>,
    /// The visible change of each member of each list.
    changes: Vec<Vec<Option<Change>>>,
    /// For each list, the positions and the term vectors of its unchanged members.
    stable: Vec<Vec<(usize, TermVector)>>,
}

impl<'l> Reviewer<'l> {
    fn new(lists: &'l [ReviewedList], corpus: &'l Corpus<'l>) -> Self {
        let changes: Vec<Vec<Option<Change>>> =
            lists.iter().map(|list| list.members.iter().map(visible_change).collect()).collect();
        let stable = lists.iter().zip(&changes).map(|(list, changes)| stable_terms(list, changes));
        let stable = stable.collect();
        Self { lists, corpus, changes, stable }
    }

    fn review_list(&self, at: usize) -> Vec<MemberReview> {
        let (Some(list), Some(changes)) = (self.lists.get(at), self.changes.get(at)) else {
            return Vec::new();
        };
        let has_changes = changes.iter().any(Option::is_some);
        let rivals = if has_changes { self.rival_contexts(at) } else { Vec::new() };
        // All members have the same context, unless the context consists of neighbors.
        let shared_terms = (has_changes && list.context != ContextKind::Neighbors)
            .then(|| self.context_terms(at, None));
        let shared_context = shared_terms.as_ref().map(|members| self.build_context(members));
        let members = list.members.iter().zip(changes).enumerate();
        let reviews = members.map(|(position, (member, change))| {
            let shared = (&shared_terms, &shared_context);
            let context = change.as_ref().and_then(|change| match shared {
                (Some(terms), Some(context)) if terms.len() >= MIN_CONTEXT => {
                    let paper = PaperContext::new(terms, list.angle.clone());
                    Self::judge(member, change.content, &paper, context, &rivals)
                }
                _ => {
                    let terms = self.context_terms(at, Some(position));
                    let paper = PaperContext::new(&terms, list.angle.clone());
                    Self::judge(
                        member,
                        change.content,
                        &paper,
                        &self.build_context(&terms),
                        &rivals,
                    )
                }
            });
            let next_step = next_step(member, change.as_ref(), context.as_ref());
            MemberReview { change: change.clone(), context, next_step }
        });
        reviews.collect()
    }

    /// Returns the term vectors of the context of a list, or of the member at position `member`.
    fn context_terms(&self, at: usize, member: Option<usize>) -> Vec<TermVector> {
        let Some(list) = self.lists.get(at) else { return Vec::new() };
        let stable = |index: usize| self.stable.get(index).into_iter().flatten();
        let terms: Vec<TermVector> = match list.context {
            ContextKind::Description => vec![TermVector::from_text(&list.description)],
            ContextKind::All => {
                let same_root =
                    self.lists.iter().enumerate().filter(|(_, other)| other.root == list.root);
                let members = same_root.flat_map(|(index, _)| stable(index));
                members.map(|(_, terms)| terms.clone()).collect()
            }
            ContextKind::Neighbors => {
                let middle = member.unwrap_or(0);
                let is_near = |position: usize| position.abs_diff(middle) <= NEIGHBORS;
                let near = stable(at).filter(|(position, _)| is_near(*position));
                near.map(|(_, terms)| terms.clone()).collect()
            }
            ContextKind::Folder => stable(at).map(|(_, terms)| terms.clone()).collect(),
        };
        let is_described = list.context == ContextKind::Description;
        match member {
            // If there are few unchanged members, the context consists of the accepted versions
            // of all other members.
            Some(position) if terms.len() < MIN_CONTEXT && !is_described => {
                other_references(list, position)
            }
            _ => sample(terms),
        }
    }

    fn build_context(&self, members: &[TermVector]) -> Context<'l> {
        Context::new(&Collection { members: members.to_vec() }, self.corpus)
    }

    /// Returns the contexts of the other lists, except lists with few unchanged members.
    fn rival_contexts(&self, at: usize) -> Vec<Context<'l>> {
        let others = self
            .stable
            .iter()
            .enumerate()
            .filter(|(other, terms)| *other != at && terms.len() >= MIN_CONTEXT);
        let others = others.take(MAX_RIVALS).map(|(_, terms)| {
            let terms = terms.iter().map(|(_, terms)| terms.clone()).collect();
            self.build_context(&sample(terms))
        });
        others.collect()
    }

    /// Compares the latest version of a changed member with its context. Returns `None` if the
    /// page or the context has no terms.
    fn judge(
        member: &ReviewMember,
        content_change: f64,
        paper: &PaperContext,
        context: &Context<'l>,
        rivals: &[Context<'l>],
    ) -> Option<ContextJudgment> {
        let before = with_annotation(member.reference.as_ref()?, "");
        let after = with_annotation(member.latest.as_ref()?, "");
        let score = ContextScore::new(context.fit_with_others(&after, rivals)?);
        let score_before = context.fit_with_others(&before, rivals).map(ContextScore::new);
        let (angle_before, angle_after) = (paper.angle(&before), paper.angle(&after));
        Some(ContextJudgment {
            angle_before,
            angle_after,
            band: paper.band(angle_before - angle_after),
            score: score.probability(),
            flag: score.flag(),
            flag_before: score_before.map_or(ContextFlag::Unclear, ContextScore::flag),
            hybrid: HybridScore::new(content_change, score).value(),
        })
    }
}

fn next_step(
    member: &ReviewMember,
    change: Option<&Change>,
    context: Option<&ContextJudgment>,
) -> NextStep {
    match (member.state, member.availability) {
        (MemberState::Closed, _) => NextStep::None,
        (MemberState::Gap, _) => NextStep::Fill,
        (MemberState::Active, _) if member.is_muted => NextStep::None,
        (MemberState::Rejected, _) | (MemberState::Active, Availability::Permanent) => {
            NextStep::Replace
        }
        (MemberState::Active, Availability::Temporary) => NextStep::Wait,
        (MemberState::Active, _) if member.reference.is_none() => NextStep::Run,
        (MemberState::Active, _) => match (change, context) {
            (None, _) => NextStep::None,
            (Some(_), Some(context)) if context.flag == ContextFlag::Fits => NextStep::Accept,
            (Some(_), Some(context)) if context.has_left_topic() => NextStep::Reject,
            (Some(_), _) => NextStep::Review,
        },
    }
}

/// Returns the change between the accepted and the latest version, if it is
/// visible.
fn visible_change(member: &ReviewMember) -> Option<Change> {
    let old = member.reference.as_ref()?.signature.as_ref()?;
    let new = member.latest.as_ref()?.signature.as_ref()?;
    Some(compare(old, new, &member.volatile)).filter(Change::is_visible)
}

/// Returns the positions and the terms of the active members without a change.
fn stable_terms(list: &ReviewedList, changes: &[Option<Change>]) -> Vec<(usize, TermVector)> {
    let unchanged = list.members.iter().zip(changes).enumerate();
    let unchanged = unchanged
        .filter(|(_, (member, change))| change.is_none() && member.state == MemberState::Active);
    unchanged
        .filter_map(|(position, (member, _))| Some((position, reference_terms(member)?)))
        .filter(|(_, terms)| !terms.is_empty())
        .collect()
}

/// Returns the terms of the accepted versions of all members except the one at `position`.
fn other_references(list: &ReviewedList, position: usize) -> Vec<TermVector> {
    let others = list.members.iter().enumerate().filter(|(at, _)| *at != position);
    sample(others.filter_map(|(_, member)| reference_terms(member)).collect())
}

/// Returns the terms of the accepted version, with the annotation.
fn reference_terms(member: &ReviewMember) -> Option<TermVector> {
    Some(with_annotation(member.reference.as_ref()?, &member.annotation))
}

fn with_annotation(version: &VersionSummary, annotation: &str) -> TermVector {
    let mut terms = version.terms.clone();
    terms.add_annotation(annotation, TermSettings::default());
    terms
}

/// Returns at most [`MAX_CONTEXT`] vectors, evenly spaced.
fn sample(terms: Vec<TermVector>) -> Vec<TermVector> {
    let step = terms.len().div_ceil(MAX_CONTEXT).max(1);
    terms.into_iter().step_by(step).collect()
}

#[cfg(test)]
mod tests;

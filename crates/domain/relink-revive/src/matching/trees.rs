//! Boosted regression trees: a sum of small decision trees gives the log odds.
//!
//! The trees are read from text, one tree per line, in preorder: `7<0.5` is a
//! node that goes to the first subtree if feature 7 is below 0.5, else to the
//! second; `=0.1` is a leaf. They are fitted by `relink-eval fit-alias`.

#![expect(
    clippy::indexing_slicing,
    reason = "node and feature numbers are checked when the trees are read"
)]

/// Maximum depth of a tree, which bounds the recursion while reading.
const MAX_DEPTH: usize = 16;

/// A sum of decision trees.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct BoostedTrees {
    intercept: f32,
    trees: Vec<Vec<Node>>,
}

/// A node of a tree. The nodes of a tree are in preorder: the first subtree of a split
/// starts at the next index.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Node {
    /// If the feature is less than `below`, continues in the first subtree, else at the index
    /// `otherwise`, where the second subtree starts.
    Split {
        feature: usize,
        below: f32,
        otherwise: usize,
    },
    Leaf(f32),
}

impl BoostedTrees {
    /// Returns a model without trees, which yields the same log odds for all.
    pub fn constant(log_odds: f32) -> Self {
        Self { intercept: log_odds, trees: Vec::new() }
    }

    /// Adds a tree in text form for `features` features. Returns `None`, and
    /// adds nothing, if the text is not a tree.
    pub fn add_tree(&mut self, text: &str, features: usize) -> Option<()> {
        let mut nodes = Vec::new();
        let mut words = text.split_ascii_whitespace();
        read_subtree(&mut words, &mut nodes, features, MAX_DEPTH)?;
        if words.next().is_some() {
            return None;
        }
        self.trees.push(nodes);
        Some(())
    }

    /// Returns the probability for the values of the features. Missing values
    /// count as 0.
    pub fn probability(&self, values: &[f32]) -> f32 {
        let sum: f32 = self.trees.iter().map(|nodes| evaluate(nodes, values)).sum();
        1.0 / (1.0 + (-(self.intercept + sum)).exp())
    }
}

/// Reads a node and the nodes below it.
fn read_subtree<'a>(
    words: &mut impl Iterator<Item = &'a str>,
    nodes: &mut Vec<Node>,
    features: usize,
    depth: usize,
) -> Option<()> {
    let word = words.next().filter(|_| depth > 0)?;
    if let Some(value) = word.strip_prefix('=') {
        nodes.push(Node::Leaf(value.parse().ok()?));
        return Some(());
    }
    let (feature, below) = word.split_once('<')?;
    let feature: usize = feature.parse().ok().filter(|feature| *feature < features)?;
    let below = below.parse().ok()?;
    let at = nodes.len();
    // A placeholder: the start of the second subtree is known after the first is read.
    nodes.push(Node::Leaf(0.0));
    read_subtree(words, nodes, features, depth - 1)?;
    nodes[at] = Node::Split { feature, below, otherwise: nodes.len() };
    read_subtree(words, nodes, features, depth - 1)
}

/// Returns the value of the leaf that the features lead to.
fn evaluate(nodes: &[Node], values: &[f32]) -> f32 {
    let mut at = 0;
    loop {
        match nodes[at] {
            Node::Leaf(value) => return value,
            Node::Split { feature, below, otherwise } => {
                let value = values.get(feature).copied().unwrap_or(0.0);
                at = if value < below { at + 1 } else { otherwise };
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probability_is_the_logistic_of_the_sum() {
        let mut model = BoostedTrees::constant(0.0);
        assert!((model.probability(&[]) - 0.5).abs() < 1e-6);
        model.add_tree("0<0.5 =-9 1<2 =1 =9", 2).unwrap();
        assert!(model.probability(&[0.0, 0.0]) < 0.001);
        assert!((model.probability(&[1.0, 0.0]) - 0.731).abs() < 0.001);
        assert!(model.probability(&[1.0, 2.0]) > 0.999);
    }

    #[test]
    fn texts_that_are_not_trees_are_rejected() {
        for text in ["", "0<0.5", "0<0.5 =1", "=1 =2", "7<0 =1 =2", "x<0 =1 =2", "=x"] {
            assert_eq!(BoostedTrees::default().add_tree(text, 2), None, "{text}");
        }
        let deep = "0<1 ".repeat(100);
        assert_eq!(BoostedTrees::default().add_tree(&deep, 2), None);
    }
}

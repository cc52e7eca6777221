//! A set of task ids with one bit per task, because a run may have millions.

use std::collections::HashMap;

use relink_model::TaskId;

/// A set of task ids: for each group of 64 consecutive ids, a word with one bit per id.
#[derive(Debug, Default)]
pub(super) struct TaskSet(HashMap<i64, u64>);

impl TaskSet {
    pub(super) fn insert(&mut self, task: TaskId) {
        *self.0.entry(group(task)).or_default() |= bit(task);
    }

    pub(super) fn contains(&self, task: TaskId) -> bool {
        self.0.get(&group(task)).is_some_and(|bits| bits & bit(task) != 0)
    }
}

fn group(task: TaskId) -> i64 {
    task.0 >> 6
}

fn bit(task: TaskId) -> u64 {
    1 << (task.0 & 63)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contains_only_inserted_tasks() {
        let mut set = TaskSet::default();
        for id in [0, 1, 63, 64, 1_000_000_007] {
            assert!(!set.contains(TaskId(id)));
            set.insert(TaskId(id));
            assert!(set.contains(TaskId(id)));
        }
        assert!(!set.contains(TaskId(2)));
    }
}

//! What the page is told of the board, but for readings.

use crate::board::{Board, Contact, PointMark};
use serde_json::{Value, json};

/// What is looked at, the last points and notes, whether the server answers, and whether it is over.
pub(super) fn state(board: &Board, marks: usize) -> Value {
    let scene = board.scene();
    let all = board.marks();
    let contact = match board.contact() {
        Contact::Good => Value::Null,
        Contact::Lost { since, why } => json!({"since": since, "why": why}),
    };
    let requirements: Vec<Value> = scene
        .requirements
        .iter()
        .map(|line| json!({"path": line.path, "value": line.value, "words": line.words}))
        .collect();
    json!({
        "title": scene.title,
        "target": scene.target,
        "engine": scene.engine,
        "run": scene.run,
        "replayed": scene.replayed,
        "requirements": requirements,
        "marks": all[all.len().saturating_sub(marks)..].iter().map(mark).collect::<Vec<_>>(),
        "notes": board.notes(),
        "lost": contact,
        "over": board.over(),
    })
}

fn mark(mark: &PointMark) -> Value {
    json!({
        "index": mark.index, "of": mark.of, "subject": mark.subject, "dop": mark.dop, "began": mark.began,
        "ended": mark.ended, "outcome": mark.outcome, "left_s": mark.left_s,
    })
}

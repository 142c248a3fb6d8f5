//! What is written when the input has ended, a piece at a time.

use lctools::projection::{Projection, write_progress};

use crate::look::Look;
use crate::table::Table;
use crate::tree::Tree;

/// How many children are written between two looks at how much output has gathered.
const PIECE: usize = 256;

/// What is written; how far it is.
pub(crate) enum Closing {
    Nothing,
    Records { next: usize },
    Tree(Option<Box<Tree>>),
    Table(Option<Table>),
}

impl Closing {
    /// Writes the next piece; true while more is to come.
    pub(crate) fn write(
        &mut self,
        projection: &Projection,
        look: &Look,
        out: &mut Vec<u8>,
    ) -> bool {
        let children = projection.children();
        match self {
            Closing::Nothing => false,
            Closing::Records { next } => {
                for child in children.iter().skip(*next).take(PIECE) {
                    write_progress(child, out);
                    out.push(b'\n');
                }
                *next += PIECE;
                *next < children.len()
            }
            Closing::Tree(tree) => tree
                .get_or_insert_with(|| Box::new(Tree::new(projection)))
                .write(children, look, PIECE, out),
            Closing::Table(table) => table
                .get_or_insert_with(|| Table::new(children, look))
                .write(children, look, PIECE, out),
        }
    }
}

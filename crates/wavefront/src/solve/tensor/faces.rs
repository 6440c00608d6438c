//! The surface of a box as faces: points with at least one coordinate 0, on the face of the first such coordinate.

/// Face `f` has the points whose coordinate `f` is 0 and whose earlier coordinates are not; it is stored as a full box of
/// the other coordinates, the last of them running fastest.
#[derive(Debug, Clone)]
pub(super) struct Faces {
    /// Points along each coordinate.
    pub widths: Vec<usize>,
    /// Where each face begins, and where the last one ends.
    starts: Vec<usize>,
}

impl Faces {
    pub fn new(widths: Vec<usize>) -> Faces {
        let mut starts = vec![0];
        for face in 0..widths.len() {
            let size: usize = others(widths.len(), face).map(|other| widths[other]).product();
            starts.push(starts[face] + size);
        }
        Faces { widths, starts }
    }

    pub fn places(&self) -> usize {
        self.starts[self.widths.len()]
    }

    pub fn face<'a>(&self, values: &'a [f64], face: usize) -> &'a [f64] {
        &values[self.starts[face]..self.starts[face + 1]]
    }

    pub fn face_mut<'a>(&self, values: &'a mut [f64], face: usize) -> &'a mut [f64] {
        &mut values[self.starts[face]..self.starts[face + 1]]
    }

    /// The place of a point; its smallest coordinate is 0.
    pub fn place(&self, point: &[usize]) -> Option<usize> {
        if point.iter().zip(&self.widths).any(|(coordinate, width)| coordinate >= width) {
            return None;
        }
        let face = point.iter().position(|coordinate| *coordinate == 0)?;
        let within = others(point.len(), face).fold(0, |index, other| index * self.widths[other] + point[other]);
        Some(self.starts[face] + within)
    }

    /// The point of a place; whether it is one.
    pub fn point(&self, place: usize, point: &mut [usize]) -> bool {
        let face = self.starts.partition_point(|start| *start <= place) - 1;
        let mut rest = place - self.starts[face];
        point[face] = 0;
        for other in others(point.len(), face).collect::<Vec<_>>().into_iter().rev() {
            point[other] = rest % self.widths[other];
            rest /= self.widths[other];
        }
        point[..face].iter().all(|coordinate| *coordinate > 0)
    }
}

/// All processes but one.
pub(super) fn others(size: usize, but: usize) -> impl DoubleEndedIterator<Item = usize> + Clone {
    (0..size).filter(move |other| *other != but)
}

/// The next point of a box, the last coordinate running fastest; false after the last point.
pub(super) fn advance(point: &mut [usize], widths: impl DoubleEndedIterator<Item = usize>) -> bool {
    let count = point.len();
    for (index, width) in (0..count).rev().zip(widths.rev()) {
        point[index] += 1;
        if point[index] < width {
            return true;
        }
        point[index] = 0;
    }
    false
}

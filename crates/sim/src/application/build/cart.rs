//! Processes in a grid.

use runcast_core::Problem;

/// A Cartesian grid; the last dimension runs fastest, as in MPI.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cart {
    sizes: Vec<u64>,
    periodic: Vec<bool>,
    count: u64,
}

/// A grid of these sizes; `periodic`: its edges are joined.
///
/// # Errors
/// A size of 0, or more than 2^53 processes.
pub fn cart(sizes: &[u64], periodic: bool) -> Result<Cart, Problem> {
    Cart::new(sizes, &vec![periodic; sizes.len()])
}

impl Cart {
    /// A grid whose dimensions are periodic one by one.
    ///
    /// # Errors
    /// A size of 0, or more than 2^53 processes; no dimension, or more than 16.
    pub fn new(sizes: &[u64], periodic: &[bool]) -> Result<Cart, Problem> {
        if sizes.is_empty() || sizes.len() > 16 {
            return Err(Problem::new("bad_grid", format!("a grid of {} dimensions", sizes.len())).allowed("1 to 16"));
        }
        if sizes.len() != periodic.len() {
            return Err(Problem::new("bad_grid", "`periodic` must have one value per dimension of the grid"));
        }
        let mut count = 1_u64;
        for size in sizes {
            if *size == 0 {
                return Err(Problem::new("bad_grid", "a dimension of the grid has size 0").value("0"));
            }
            count = count
                .checked_mul(*size)
                .filter(|count| *count <= 1 << 53)
                .ok_or_else(|| Problem::new("bad_grid", "the grid has more than 2^53 processes"))?;
        }
        Ok(Cart { sizes: sizes.to_vec(), periodic: periodic.to_vec(), count })
    }

    /// Number of its processes.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// Number of its dimensions.
    pub fn dimensions(&self) -> usize {
        self.sizes.len()
    }

    /// Coordinates of a rank, from 0.
    ///
    /// # Errors
    /// A rank that the grid does not have.
    pub fn coords(&self, rank: u64) -> Result<Vec<u64>, Problem> {
        let mut rest = self.inside(rank)?;
        let mut coords = vec![0; self.sizes.len()];
        for (coordinate, size) in coords.iter_mut().zip(&self.sizes).rev() {
            *coordinate = rest % size;
            rest /= size;
        }
        Ok(coords)
    }

    /// The rank at some coordinates: along a periodic dimension they wrap around; beyond an edge there is none.
    ///
    /// # Errors
    /// The number of coordinates differs from that of the dimensions.
    pub fn rank(&self, coords: &[i64]) -> Result<Option<u64>, Problem> {
        if coords.len() != self.sizes.len() {
            return Err(Problem::new(
                "bad_coords",
                format!("{} coordinates in a grid of {} dimensions", coords.len(), self.sizes.len()),
            ));
        }
        let mut rank = 0;
        for ((coordinate, size), periodic) in coords.iter().zip(&self.sizes).zip(&self.periodic) {
            let place = match periodic {
                true => coordinate.rem_euclid(*size as i64) as u64,
                false if *coordinate < 0 || *coordinate as u64 >= *size => return Ok(None),
                false => *coordinate as u64,
            };
            rank = rank * size + place;
        }
        Ok(Some(rank))
    }

    /// The rank `distance` away along dimension `dimension` (from 1); none beyond an edge.
    ///
    /// # Errors
    /// A rank or a dimension that the grid does not have.
    pub fn neighbor(&self, rank: u64, dimension: u64, distance: i64) -> Result<Option<u64>, Problem> {
        self.inside(rank)?;
        let index = dimension.wrapping_sub(1) as usize;
        let Some(size) = self.sizes.get(index) else {
            return Err(Problem::new("bad_dimension", format!("dimension {dimension} of a grid"))
                .value(dimension.to_string())
                .allowed(format!("1 to {}", self.sizes.len())));
        };
        let stride: u64 = self.sizes[index + 1..].iter().product();
        let own = rank / stride % size;
        let moved = (own as i64).checked_add(distance).filter(|moved| moved.abs() <= 1 << 54);
        let Some(moved) = moved else {
            return Err(Problem::new("bad_distance", format!("a distance of {distance}")).value(distance.to_string()));
        };
        let place = match self.periodic[index] {
            true => moved.rem_euclid(*size as i64) as u64,
            false if moved < 0 || moved as u64 >= *size => return Ok(None),
            false => moved as u64,
        };
        Ok(Some(rank - own * stride + place * stride))
    }

    fn inside(&self, rank: u64) -> Result<u64, Problem> {
        if rank < self.count {
            return Ok(rank);
        }
        Err(Problem::new(
            "rank_outside",
            format!("rank {rank} is outside the grid, which has ranks 0 to {}", self.count - 1),
        )
        .value(rank.to_string()))
    }
}

/// Factors of `processes`, as equal as possible, the largest first: `dims(12, 2)` is 4, 3.
///
/// # Errors
/// 0 processes; no dimension, or more than 16.
pub fn dims(processes: u64, dimensions: u64) -> Result<Vec<u64>, Problem> {
    if processes == 0 || processes > 1 << 53 {
        return Err(Problem::new("bad_grid", format!("a grid of {processes} processes")).value(processes.to_string()));
    }
    if !(1..=16).contains(&dimensions) {
        return Err(Problem::new("bad_grid", format!("a grid of {dimensions} dimensions"))
            .value(dimensions.to_string())
            .allowed("1 to 16"));
    }
    if dimensions <= 3 {
        return Ok(evenest(processes, dimensions, &divisors(processes)).unwrap_or_default());
    }
    let mut factors = prime_factors(processes);
    let mut sizes = vec![1_u64; dimensions as usize];
    while let Some(factor) = factors.pop() {
        if let Some(least) = sizes.iter_mut().min() {
            *least *= factor;
        }
    }
    sizes.sort_unstable_by(|left, right| right.cmp(left));
    Ok(sizes)
}

/// The sizes whose largest is least, the largest first. `divisors` are those of `processes`, or more, ascending.
fn evenest(processes: u64, dimensions: u64, divisors: &[u64]) -> Option<Vec<u64>> {
    if dimensions == 1 {
        return Some(vec![processes]);
    }
    let least = (processes as f64).powf(1.0 / dimensions as f64).floor() as u64;
    let from = divisors.partition_point(|divisor| *divisor < least);
    divisors[from..].iter().filter(|largest| processes.is_multiple_of(**largest)).find_map(|largest| {
        let rest = evenest(processes / largest, dimensions - 1, divisors)?;
        if rest[0] > *largest {
            return None;
        }
        Some([&[*largest], rest.as_slice()].concat())
    })
}

/// Divisors, ascending.
fn divisors(number: u64) -> Vec<u64> {
    let mut divisors = vec![1];
    let mut last = (0, 0);
    for factor in prime_factors(number) {
        let from = if factor == last.0 { last.1 } else { 0 };
        let before = divisors.len();
        for index in from..before {
            divisors.push(divisors[index] * factor);
        }
        last = (factor, before);
    }
    divisors.sort_unstable();
    divisors
}

/// Prime factors, ascending. Numbers up to 2^53 take at most 10^8 divisions.
fn prime_factors(mut number: u64) -> Vec<u64> {
    let mut factors = Vec::new();
    let mut divisor = 2;
    while divisor * divisor <= number {
        while number.is_multiple_of(divisor) {
            factors.push(divisor);
            number /= divisor;
        }
        divisor += 1 + (divisor & 1);
    }
    if number > 1 {
        factors.push(number);
    }
    factors
}

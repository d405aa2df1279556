//! Points, node outlines and the curves between them.

use std::ops::{Add, Mul, Sub};

/// A point, or the way from one point to another; y grows downwards, as in SVG.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Point {
    pub(super) x: f64,
    pub(super) y: f64,
}

impl Point {
    pub(super) fn new(x: f64, y: f64) -> Point {
        Point { x, y }
    }

    pub(super) fn length(self) -> f64 {
        self.x.hypot(self.y)
    }

    pub(super) fn dot(self, other: Point) -> f64 {
        self.x * other.x + self.y * other.y
    }

    /// Returns the direction with length one; a vector of length zero is unchanged.
    pub(super) fn unit(self) -> Point {
        let length = self.length();
        if length > 0.0 { self * (1.0 / length) } else { self }
    }

    /// Returns the vector turned a quarter to the right.
    pub(super) fn right(self) -> Point {
        Point::new(-self.y, self.x)
    }
}

impl From<Point> for (f64, f64) {
    fn from(point: Point) -> (f64, f64) {
        (point.x, point.y)
    }
}

impl Add for Point {
    type Output = Point;

    fn add(self, other: Point) -> Point {
        Point::new(self.x + other.x, self.y + other.y)
    }
}

impl Sub for Point {
    type Output = Point;

    fn sub(self, other: Point) -> Point {
        Point::new(self.x - other.x, self.y - other.y)
    }
}

impl Mul<f64> for Point {
    type Output = Point;

    fn mul(self, by: f64) -> Point {
        Point::new(self.x * by, self.y * by)
    }
}

/// A rectangle with round corners; with maximal corners, a disc.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Shape {
    pub(super) centre: Point,
    pub(super) half_width: f64,
    pub(super) half_height: f64,
    pub(super) corner: f64,
}

impl Shape {
    pub(super) fn disc(centre: Point, radius: f64) -> Shape {
        Shape { centre, half_width: radius, half_height: radius, corner: radius }
    }

    /// Returns the shape with its edge moved outwards.
    pub(super) fn grown(self, by: f64) -> Shape {
        Shape {
            half_width: self.half_width + by,
            half_height: self.half_height + by,
            corner: self.corner + by,
            ..self
        }
    }

    /// Returns the distance of a point from the edge, negative inside.
    pub(super) fn distance(&self, point: Point) -> f64 {
        let x = (point.x - self.centre.x).abs() - (self.half_width - self.corner);
        let y = (point.y - self.centre.y).abs() - (self.half_height - self.corner);
        x.max(0.0).hypot(y.max(0.0)) + x.max(y).min(0.0) - self.corner
    }

    /// Returns the extent of the shape from its centre in a direction of length one.
    pub(super) fn reach(&self, way: Point) -> f64 {
        way.x.abs() * (self.half_width - self.corner)
            + way.y.abs() * (self.half_height - self.corner)
            + self.corner
    }
}

/// A quadratic Bézier curve.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Curve {
    pub(super) start: Point,
    pub(super) control: Point,
    pub(super) end: Point,
}

/// A curve that begins on an edge, and the arrowhead whose tip is on another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Arrow {
    pub(super) shaft: Curve,
    /// Tip, one barb, the notch between the barbs, the other barb.
    pub(super) head: [Point; 4],
}

/// Steps in which a curve is searched; finer than the smallest node on the longest arc.
const STEPS: usize = 256;

impl Curve {
    pub(super) fn at(&self, t: f64) -> Point {
        self.start * ((1.0 - t) * (1.0 - t)) + self.control * (2.0 * t * (1.0 - t)) + self.end * (t * t)
    }

    /// Returns the smallest distance of the curve from a shape.
    pub(super) fn clearance(&self, shape: &Shape) -> f64 {
        (0..=STEPS).map(|k| shape.distance(self.at(k as f64 / STEPS as f64))).fold(f64::INFINITY, f64::min)
    }

    /// Returns the part of the curve between two parameters.
    fn between(&self, from: f64, to: f64) -> Curve {
        let tangent = (self.control - self.start) * (1.0 - from) + (self.end - self.control) * from;
        Curve { start: self.at(from), control: self.at(from) + tangent * (to - from), end: self.at(to) }
    }

    /// Finds where the curve, followed from `inside` to `outside`, first leaves the region of negative `distance`.
    fn crossing(&self, inside: f64, outside: f64, distance: impl Fn(Point) -> f64) -> f64 {
        let step = (outside - inside) / STEPS as f64;
        let Some(first) = (1..=STEPS).find(|&k| distance(self.at(inside + step * k as f64)) >= 0.0) else {
            return outside;
        };
        let (mut within, mut without) = (inside + step * (first - 1) as f64, inside + step * first as f64);
        for _ in 0..30 {
            let middle = (within + without) / 2.0;
            if distance(self.at(middle)) < 0.0 {
                within = middle;
            } else {
                without = middle;
            }
        }
        (within + without) / 2.0
    }

    /// Cuts the curve at the edges of the shapes at its ends and puts an arrowhead on the second edge.
    pub(super) fn arrow(&self, source: &Shape, target: &Shape, width: f64) -> Arrow {
        let leaves = self.crossing(0.0, 1.0, |point| source.distance(point));
        let arrives = self.crossing(1.0, leaves, |point| target.distance(point));
        let tip = self.at(arrives);
        let room = (tip - self.at(leaves)).length();
        let length = (4.5 + 1.5 * width).min(room * 0.6);
        let half = (2.1 + 0.85 * width).min(length);
        let base = self.at(self.crossing(arrives, leaves, |point| (point - tip).length() - length));
        let back = (base - tip).unit();
        let notch = tip + back * (length * 0.8);
        let joint = self.crossing(arrives, leaves, |point| (point - tip).length() - length * 0.75);
        let across = back.right() * half;
        let barb = tip + back * length;
        Arrow { shaft: self.between(leaves, joint), head: [tip, barb + across, notch, barb - across] }
    }
}

#[cfg(test)]
mod tests {
    use super::{Curve, Point, Shape};

    #[test]
    fn distance_is_measured_from_the_edge() {
        let pill = Shape { centre: Point::new(0.0, 0.0), half_width: 40.0, half_height: 20.0, corner: 20.0 };
        assert!((pill.distance(Point::new(50.0, 0.0)) - 10.0).abs() < 1e-12);
        assert!((pill.distance(Point::new(10.0, -15.0)) + 5.0).abs() < 1e-12);
        assert!((pill.reach(Point::new(1.0, 0.0)) - 40.0).abs() < 1e-12);
    }

    #[test]
    fn arrow_touches_both_edges() {
        let (a, b) = (Shape::disc(Point::new(0.0, 0.0), 6.0), Shape::disc(Point::new(100.0, 80.0), 9.0));
        let curve = Curve { start: a.centre, control: Point::new(60.0, 10.0), end: b.centre };
        let arrow = curve.arrow(&a, &b, 3.0);
        assert!(a.distance(arrow.shaft.start).abs() < 1e-6);
        assert!(b.distance(arrow.head[0]).abs() < 1e-6);
        assert!(arrow.head[1..].iter().all(|&point| b.distance(point) > 0.0));
    }

    #[test]
    fn a_part_of_a_curve_lies_on_it() {
        let curve = Curve {
            start: Point::new(0.0, 0.0),
            control: Point::new(50.0, 90.0),
            end: Point::new(100.0, 0.0),
        };
        let part = curve.between(0.2, 0.8);
        assert!((part.at(0.5) - curve.at(0.5)).length() < 1e-9);
    }
}

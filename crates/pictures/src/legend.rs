//! The legend below a picture: a description of the answer, and the meaning of the colours.

use super::Image;
use super::course::Course;
use super::palette::{self, Colour};
use super::subject::Poses;
use super::text::Font;
use firstcontact::Obstacle;
use firstcontact::error::Result;
use firstcontact::scene::world::CollisionWorld;
use firstcontact::verdict::{Contact, ContactPoint, TrajectoryVerdict, Verdict};

const PAPER: Colour = [255, 255, 255];
const INK: Colour = [34, 38, 46];
/// Height of the text relative to the picture's, and its limits, pixels.
const TEXT: f32 = 0.03;
const TEXT_PX: [f32; 2] = [14.0, 48.0];
/// The share of the picture's height that the legend may use.
const MAX_SHARE: f32 = 0.3;
/// Maximum number of characters of a displayed name.
const MAX_NAME: usize = 40;

/// The meaning of a colour.
#[derive(Clone, Debug)]
struct Entry {
    colour: Colour,
    /// Opacity of the colour on the background, from 0 to 1.
    opacity: f32,
    text: String,
}

/// A legend for a picture of a given size.
#[derive(Debug)]
pub struct Legend {
    title: String,
    entries: Vec<Entry>,
    /// Entries of each row.
    rows: Vec<Vec<usize>>,
    font: Font,
    text_px: f32,
    height: u32,
}

impl Legend {
    /// The legend of a picture with this width and height in pixels. Its height is 0 if there is not enough space for
    /// it.
    ///
    /// # Errors
    /// The built-in font is damaged.
    pub fn new(
        world: &CollisionWorld,
        poses: &Poses,
        (answer, course): (&TrajectoryVerdict, &Course),
        size: [u32; 2],
    ) -> Result<Self> {
        let title = title(world, &answer.verdict, &course.in_words(answer));
        Self::with(title, entries(world, poses, &answer.verdict), size)
    }

    fn with(title: String, entries: Vec<Entry>, size: [u32; 2]) -> Result<Self> {
        let [width, height] = size.map(|n| n as f32);
        let text_px = (TEXT * height).min(0.022 * width).clamp(TEXT_PX[0], TEXT_PX[1]);
        let mut legend = Self { title, entries, rows: Vec::new(), font: Font::new(text_px)?, text_px, height: 0 };
        legend.arrange(width);
        let needed = legend.margin() * 2.0 + legend.line() * (1 + legend.rows.len()) as f32;
        let widest = legend.entries.iter().map(|e| legend.width(e)).fold(legend.font.width(&legend.title), f32::max);
        if needed <= MAX_SHARE * height && widest + 2.0 * legend.margin() <= width {
            legend.height = needed.ceil() as u32;
        }
        Ok(legend)
    }

    /// Height of the legend below the picture, pixels.
    pub fn height(&self) -> u32 {
        self.height
    }

    /// The picture with the legend below it.
    pub fn below(&self, mut image: Image) -> Image {
        let [width, top] = image.size;
        image.size[1] += self.height;
        let paper = [PAPER[0], PAPER[1], PAPER[2], 255];
        image.rgba.extend(paper.iter().copied().cycle().take(4 * width as usize * self.height as usize));
        if self.height == 0 {
            return image;
        }
        let mut y = top as f32 + self.margin();
        self.font.write(&mut image, &self.title, [self.margin(), y], INK);
        for row in &self.rows {
            y += self.line();
            let mut x = self.margin();
            for entry in row.iter().map(|&k| &self.entries[k]) {
                self.sign(&mut image, entry, [x, y]);
                self.font.write(&mut image, &entry.text, [x + self.sign_width(), y], INK);
                x += self.width(entry) + self.gap();
            }
        }
        image
    }

    /// Fills rows from left to right.
    fn arrange(&mut self, width: f32) {
        let mut x = f32::INFINITY;
        for (k, entry) in self.entries.iter().enumerate() {
            let needed = self.width(entry);
            if x + needed + self.margin() > width {
                self.rows.push(Vec::new());
                x = self.margin();
            }
            x += needed + self.gap();
            if let Some(row) = self.rows.last_mut() {
                row.push(k);
            }
        }
    }

    /// Draws a patch of the entry's colour, as it appears in the picture.
    fn sign(&self, image: &mut Image, entry: &Entry, [x, y]: [f32; 2]) {
        let side = (0.72 * self.text_px).round();
        let top = (y + 0.5 * (self.text_px - side)).round();
        for row in 0..side as u32 {
            for column in 0..side as u32 {
                let at = [x.round() + column as f32, top + row as f32];
                let is_border = [row, column].iter().any(|&i| i == 0 || i + 1 == side as u32);
                image.blend(at, palette::BACKGROUND, 1.0);
                image.blend(at, entry.colour, if is_border { 1.0 } else { entry.opacity });
            }
        }
    }

    fn sign_width(&self) -> f32 {
        1.05 * self.text_px
    }

    fn width(&self, entry: &Entry) -> f32 {
        self.sign_width() + self.font.width(&entry.text)
    }

    fn gap(&self) -> f32 {
        1.1 * self.text_px
    }

    fn margin(&self) -> f32 {
        (0.6 * self.text_px).round()
    }

    fn line(&self) -> f32 {
        (1.4 * self.text_px).round()
    }
}

/// The answer in one line; `at` is the place of its event.
fn title(world: &CollisionWorld, verdict: &Verdict, at: &str) -> String {
    match verdict {
        Verdict::Free => "Free: the robot touches nothing at any time".into(),
        Verdict::Undecided(_) => format!("Undecided: free up to {at}"),
        Verdict::Contact(contact) => {
            let when = match contact {
                Contact { initial_overlap: true, .. } => "Contact at the start".into(),
                contact if contact.is_proved() => format!("First contact at {at}"),
                _ => format!("Possible contact from {at} on"),
            };
            match &contact.first {
                Some(at) => format!("{when}: {} touches {}", link(world, at), object(world, at)),
                None => when,
            }
        }
    }
}

fn entries(world: &CollisionWorld, poses: &Poses, verdict: &Verdict) -> Vec<Entry> {
    let entry = |colour, opacity, text: String| Entry { colour, opacity, text };
    let differs = |a: &_, b: &super::subject::Moment| world.robot.links.iter().any(|l| b.differs(a, l.body));
    let (now, contact) = match verdict {
        Verdict::Free => ("end", None),
        Verdict::Undecided(_) => ("free up to here", None),
        Verdict::Contact(c) if c.initial_overlap => ("start, in contact", c.first.as_ref()),
        Verdict::Contact(c) if !c.is_proved() => ("possible contact", c.first.as_ref()),
        Verdict::Contact(c) => ("first contact", c.first.as_ref()),
    };
    let mut all = Vec::new();
    if differs(&poses.start, &poses.now) {
        all.push(entry(palette::START, 0.5, "start".into()));
    }
    all.push(entry(palette::ROBOT, 1.0, now.into()));
    if differs(&poses.end, &poses.now) {
        all.push(entry(palette::END, 0.5, "end".into()));
    }
    if differs(&poses.start, &poses.end) || all.len() > 1 {
        all.push(entry(palette::SWEPT, 0.3, "swept volume".into()));
    }
    if let Some(at) = contact {
        all.push(entry(palette::TOUCHED, 1.0, format!("touched: {}", object(world, at))));
        all.push(entry(palette::CONTACT, 1.0, "contact and normal".into()));
    }
    all
}

fn link(world: &CollisionWorld, at: &ContactPoint) -> String {
    named(world.robot.links.get(at.a.link as usize).map(|l| l.name.as_str()), "the robot")
}

fn object(world: &CollisionWorld, at: &ContactPoint) -> String {
    match at.b.obstacle() {
        Obstacle::Object(object) => {
            named(world.scene.objects.get(object as usize).map(|o| o.name.as_str()), "the scene")
        }
        Obstacle::Link(link) => named(world.robot.links.get(link as usize).map(|l| l.name.as_str()), "the robot"),
    }
}

/// A name as displayed, shortened: names from files may be long or empty.
fn named(name: Option<&str>, otherwise: &str) -> String {
    let name: String = name.unwrap_or_default().trim().chars().filter(|c| !c.is_control()).collect();
    if name.is_empty() {
        otherwise.into()
    } else if name.chars().count() > MAX_NAME {
        name.chars().take(MAX_NAME - 1).chain(['…']).collect()
    } else {
        name
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_cleaned_and_truncated() {
        assert_eq!(named(Some(" a\nb\u{7}c "), "-"), "abc");
        assert_eq!(["", " ", "\u{0}"].map(|n| named(Some(n), "the scene")), ["the scene"; 3]);
        assert_eq!(named(None, "the robot"), "the robot");
        let long = named(Some(&"ä".repeat(200)), "-");
        assert!(long.chars().count() == MAX_NAME && long.ends_with('…'));
    }

    fn legend(size: [u32; 2], names: &[&str]) -> Legend {
        let entries: Vec<Entry> =
            names.iter().map(|n| Entry { colour: palette::START, opacity: 1.0, text: (*n).to_string() }).collect();
        Legend::with("A title".into(), entries, size).unwrap()
    }

    #[test]
    fn a_legend_is_below_the_picture_and_within_it() {
        let names = ["start", "first contact", "end", "swept volume", "touched: a table with a long name"];
        for size in [[1280, 800], [640, 400], [400, 600]] {
            let legend = legend(size, &names);
            let height = legend.height();
            assert!(height > 0 && 10 * height < 4 * size[1], "{size:?}: {height}");
            let grey = Image {
                size: [size[0], size[1] - height],
                rgba: vec![127; (4 * size[0] * (size[1] - height)) as usize],
            };
            let above = grey.rgba.clone();
            let image = legend.below(grey);
            assert_eq!((image.size, image.rgba.len()), (size, (4 * size[0] * size[1]) as usize));
            assert_eq!(image.rgba[..above.len()], above);
            let count = |colour: Colour| image.rgba[above.len()..].chunks(4).filter(|p| p[..3] == colour).count();
            assert!(count(INK) > 100 && count(PAPER) > 1000 && count(palette::START) > 5 * 80, "{size:?}");
            // The border is empty, so nothing is cut off.
            let right =
                image.rgba[above.len()..].chunks(4 * size[0] as usize).map(|row| &row[4 * (size[0] as usize - 3)..]);
            assert!(right.flatten().all(|value| *value == 255), "{size:?}");
        }
    }

    #[test]
    fn a_legend_that_does_not_fit_is_omitted() {
        assert_eq!(legend([200, 800], &["a name that is wider than the picture"]).height(), 0);
        assert_eq!(legend([1280, 60], &["start"]).height(), 0);
        assert_eq!(legend([1, 1], &[]).height(), 0);
    }
}

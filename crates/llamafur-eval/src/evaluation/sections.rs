//! The paper's tables and figures for the user's data, as sections of a report.

use super::{Comparison, Evaluated, Evaluation, remark_on_f, remarks};
use crate::by_milestones::Step;
use crate::judgments::{Class, Judgments};
use crate::measures::{MeanPoint, Measure, PERCENTILES};
use crate::report::{Cell, Column, Figure, Section, Table, Text, grouped};
use llamafur::learn::cross_validation::{CrossValidation, Spread};
use llamafur_figures::{Axis, BoxPlots, Chart, DotPlot, Line, Panel, bytes};

/// Describes the judged links, and counts the records used and left out.
pub fn judgments(judgments: &Judgments) -> Section {
    let counts = judgments.counts();
    let mut section = Section::new("What was judged").paragraph(format!(
        "{} links of {} pages were judged. {} pages have links of both kinds, expected (TE, E) and unexpected (U, TU), \
         and are measured: {:.2} unexpected links of {:.2} judged ones on average.",
        grouped(counts.pairs),
        grouped(counts.queries as u64),
        grouped(counts.with_both_kinds as u64),
        counts.mean_relevant,
        counts.mean_judged
    ));
    let mut classes = Table::new("classes", "Judged links by class.")
        .texts(["class", "meaning"])
        .numbers(["links", "share of all, %"]);
    let meanings = ["totally expected", "slightly expected", "slightly unexpected", "totally unexpected"];
    for (class, meaning) in Class::ALL.into_iter().zip(meanings) {
        let (links, share) = (counts.classes[class.index()], counts.share(class));
        let share = Cell::number(100.0 * share, 1).bar(share);
        classes = classes.row([Cell::new(class.name()), Cell::new(meaning), Cell::count(links), share]);
    }
    section = section.table(classes);
    match judgments.account.left_out().iter().any(|(_, left)| left.records > 0) {
        true => section.table(records(judgments)),
        false => section.paragraph(format!("All {} records of the file are used.", grouped(counts.records))),
    }
}

/// Counts the records of the file, used or left out.
fn records(judgments: &Judgments) -> Table {
    let account = &judgments.account;
    let mut table = Table::new("records", "What became of every record of the file.")
        .texts(["records"])
        .numbers(["number"])
        .texts(["for example"])
        .row([Cell::new("used"), Cell::count(account.found), Cell::new("")]);
    for (name, left) in account.left_out().into_iter().filter(|(_, left)| left.records > 0) {
        let example = left.examples.first().map(|example| {
            format!("line {}: {} → {}: {}", example.line, example.source, example.target, example.why)
        });
        table =
            table.row([Cell::new(name), Cell::count(left.records), Cell::new(example.unwrap_or_default())]);
    }
    table.row([Cell::new("all"), Cell::count(account.records), Cell::new("")])
}

/// Shows average bpref and the other measures, with intervals and chance; compares every two scorers.
pub fn averages(evaluation: &Evaluation) -> Section {
    let (chance, sd) = (evaluation.chance.bpref, evaluation.chance.bpref_sd);
    let plot = evaluation.scorers.iter().fold(
        DotPlot::new("Average bpref", Axis::linear("bpref").range(0.0, 1.0)).chance("chance", chance, sd),
        |plot, scorer| plot.row(&scorer.name, scorer.bpref, scorer.ci95),
    );
    let bpref = Figure::new(
        "bpref",
        format!(
            "Average bpref over {} pages, with 95% intervals by bootstrap over pages. Chance is {chance:.3}; the \
             band is how far the average of a single random ranking scatters ({sd:.3}).",
            evaluation.queries
        ),
        |width| plot.draw(width),
    );
    let text = Text::from("Each page is a query, its links are the results, the unexpected ones are relevant. ")
        .emphasis("bpref")
        .plain(
            " counts the judged expected links that rank above the unexpected ones; links that nobody judged do not \
             count. Ties count by expectation, so chance is exact. Intervals are paired: all scorers see the \
             same resampled pages, and what they have in common is in ",
        )
        .table("comparisons")
        .plain(", not in the overlap of their intervals.");
    let mut section = Section::new("How well scorers rank").paragraph(text);
    for remark in remarks(evaluation) {
        section = section.paragraph(format!("Note: {remark}."));
    }
    let section = section.table(bprefs(evaluation)).figure(bpref);
    section.table(comparisons(&evaluation.comparisons)).table(others(evaluation))
}

/// Builds the paper's table: the bpref and the input of each scorer.
fn bprefs(evaluation: &Evaluation) -> Table {
    let mut table = Table::new("bpref", "Average bpref with its 95% interval; the best in bold.")
        .texts(["scorer", "input data"])
        .numbers(["bpref"])
        .interval("low", "high")
        .column(Column::number("without a score").note("judged links"));
    for scorer in &evaluation.scorers {
        let mut row = vec![Cell::new(&scorer.name[..]), Cell::new(inputs(&scorer.inputs))];
        row.extend(with_interval(evaluation, scorer, Measure::Bpref));
        row.push(Cell::count(scorer.without_score as u64));
        table = table.row(row);
    }
    let [chance, none] = [Some(evaluation.chance.bpref), None].map(Cell::figure);
    table.row([Cell::new("chance"), Cell::new(inputs("")), chance, none.clone(), none.clone(), none])
}

fn inputs(inputs: &str) -> &str {
    if inputs.is_empty() { "none" } else { inputs }
}

/// Returns a measure of a scorer, bold if it is the best, and the ends of its interval.
fn with_interval(evaluation: &Evaluation, scorer: &Evaluated, measure: Measure) -> [Cell; 3] {
    let interval = scorer.interval(measure);
    let best = evaluation.scorers.iter().map(|other| other.interval(measure).mean).fold(f64::MIN, f64::max);
    let mean = Cell::number(interval.mean, 3);
    let [low, high] = ends(interval.ci95);
    [if interval.mean == best { mean.best() } else { mean }, low, high]
}

fn ends(ci95: Option<[f64; 2]>) -> [Cell; 2] {
    [0, 1].map(|end| Cell::figure(ci95.map(|ends| ends[end])))
}

/// Builds the table of the other measures.
fn others(evaluation: &Evaluation) -> Table {
    const OTHERS: [(Measure, &str); 3] =
        [(Measure::AveragePrecision, "AP"), (Measure::Ndcg, "nDCG"), (Measure::Auc, "AUC")];
    let mut table = Table::new(
        "measures",
        "Average precision (AP), nDCG and the area under the ROC curve (AUC) on judged links, each with its 95% interval; \
         the best in bold.",
    )
    .texts(["scorer"]);
    for (_, name) in OTHERS {
        table = table.numbers([name]).interval(&format!("{name} low"), &format!("{name} high"));
    }
    for scorer in &evaluation.scorers {
        let mut row = vec![Cell::new(&scorer.name[..])];
        OTHERS.iter().for_each(|(measure, _)| row.extend(with_interval(evaluation, scorer, *measure)));
        table = table.row(row);
    }
    let mut row = vec![Cell::new("chance")];
    for (measure, _) in OTHERS {
        row.extend([Some(evaluation.chance.get(measure)), None, None].map(Cell::figure));
    }
    table.row(row)
}

/// Formats a p-value; very small ones as “< 0.001”.
fn p_value(p: f64) -> Cell {
    if p < 0.001 { Cell::new("< 0.001").exactly(p.to_string()) } else { Cell::number(p, 3) }
}

fn comparisons(comparisons: &[Comparison]) -> Table {
    let mut table = Table::new(
        "comparisons",
        "Every two scorers: how much larger the bpref of the first is, with its paired 95% interval; the p-value of a \
         permutation test; the same adjusted for the number of comparisons (Holm).",
    )
    .texts(["first", "second"])
    .numbers(["difference"])
    .interval("low", "high")
    .numbers(["p", "p, Holm"]);
    for comparison in comparisons {
        let [low, high] = ends(comparison.ci95);
        table = table.row([
            Cell::new(&comparison.first[..]),
            Cell::new(&comparison.second[..]),
            Cell::number(comparison.difference, 3),
            low,
            high,
            p_value(comparison.p),
            p_value(comparison.p_holm),
        ]);
    }
    table
}

/// Shows precision and recall after the paper's percentiles.
pub fn curves(evaluation: &Evaluation) -> Section {
    let point = |point: &MeanPoint| (point.recall, point.precision.unwrap_or(f64::NAN));
    let base = evaluation.relevant as f64 / evaluation.judged.max(1) as f64;
    let cuts = evaluation.chance.curve.iter().map(|point| format!("{} %", point.percentile));
    let highest =
        evaluation.scorers.iter().flat_map(|scorer| &scorer.curve).filter_map(|point| point.precision);
    // Up to the next tenth above the highest point.
    let highest = highest.fold(base, f64::max).mul_add(10.0, 0.3).ceil().clamp(1.0, 10.0) / 10.0;
    let chance = evaluation.chance.curve.last().and_then(|point| point.precision).unwrap_or(base);
    let axis = |name, highest| Axis::linear(name).range(0.0, highest);
    let panel = Panel::new("", axis("recall", 1.0), axis("precision", highest)).cuts(cuts);
    let lines = evaluation.scorers.iter().zip(0..);
    let panel = lines
        .map(|(scorer, number)| Line::new(&scorer.name, number, scorer.curve.iter().map(point)))
        .fold(panel.level(chance, &format!("chance {chance:.3}")), Panel::line);
    let plot = Chart::new("Precision by recall").panel(panel);
    Section::new("Precision and recall")
        .figure(Figure::new(
            "precision-recall",
            "Average precision and recall after the 1st, 2nd, 5th, 8th, 10th, 15th, 25th, 50th and 100th percentile of \
             each page’s links. Precision is that of the judged links above the cut.",
            |width| plot.draw(width),
        ))
        .table(points(evaluation, "precision", |point| point.precision))
        .table(points(evaluation, "recall", |point| Some(point.recall)))
}

/// Builds a table with a row per scorer and a column per percentile.
fn points(evaluation: &Evaluation, what: &str, of: fn(&MeanPoint) -> Option<f64>) -> Table {
    let mut table = Table::new(what, format!("Average {what} after each percentile of each page’s links."))
        .texts(["scorer"]);
    for percentile in PERCENTILES {
        table = table.numbers([&format!("{percentile} %")]);
    }
    let of_scorers = evaluation.scorers.iter().map(|scorer| (&scorer.name[..], &scorer.curve));
    for (name, curve) in of_scorers.chain([("chance", &evaluation.chance.curve)]) {
        let figures = curve.iter().map(|point| Cell::figure(of(point)));
        table = table.row([Cell::new(name)].into_iter().chain(figures));
    }
    table
}

/// Shows the scores of judged links by class.
pub fn classes(evaluation: &Evaluation) -> Section {
    let plots = evaluation.scorers.iter().fold(
        BoxPlots::new("Unexpectedness by class", "unexpectedness"),
        |plots, scorer| {
            let classes = scorer.by_class.iter().map(|(class, scores)| (class.name(), &scores[..]));
            plots.panel(&scorer.name, classes)
        },
    );
    Section::new("Scores and judgments").figure(Figure::new(
        "classes",
        "What each scorer says of the links that were judged totally expected (TE), slightly expected (E), slightly \
         unexpected (U) and totally unexpected (TU): median, quartiles, whiskers to 1.5 times their distance. Scores of \
         different pages are in one box, though a ranking compares only those of one page.",
        |width| plots.draw(width),
    ))
}

fn spread(figure: Option<Spread>) -> [Cell; 2] {
    [figure.map(|figure| figure.mean), figure.map(|figure| figure.sd)].map(Cell::figure)
}

/// Shows a cross-validation of each learner.
pub fn cross_validation(validations: &[CrossValidation]) -> Section {
    let Some(first) = validations.first() else { return Section::new("Cross-validation") };
    let mut table = Table::new(
        "cross-validation",
        format!(
            "{}-fold cross-validation: mean and standard deviation over folds; the 95% interval of the F-measure is that on \
             the pairs of all folds.",
            first.folds
        ),
    )
    .texts(["learner", "measure"])
    .numbers(["mean", "sd"])
    .interval("low", "high");
    for validation in validations {
        let measures = [
            ("accuracy", validation.accuracy, None),
            ("precision", validation.precision, None),
            ("recall", validation.recall, None),
            ("F-measure", validation.f_measure, validation.ci95),
            ("AUC", Some(validation.auc), None),
        ];
        for (name, figure, ci95) in measures {
            let mut row = vec![Cell::new(validation.method.name()), Cell::new(name)];
            row.extend(spread(figure));
            row.extend(ends(ci95));
            table = table.row(row);
        }
    }
    let section = Section::new("Cross-validation").paragraph(format!(
        "All pairs of pages are divided into {} folds. For each fold, the matrix is learnt from the others and classifies \
         the links of the fold and as many non-links: {} links in all. No pair of the fold is seen in learning.",
        first.folds,
        grouped(first.links)
    ));
    let notes = validations
        .iter()
        .filter_map(|v| remark_on_f(v.method, v.f_measure.map(|f| f.mean)))
        .map(|remark| format!("Note: {remark}."));
    notes.fold(section, |section, note| section.paragraph(note)).table(table)
}

/// Shows the F-measure by the number of categories.
pub fn by_categories(steps: &[Step]) -> Section {
    let learners = steps.first().map_or(0, |step| step.validations.len());
    let costs = steps.iter().map(|step| (step.categories as f64, bytes(step.dense_bytes as f64)));
    let mut panel =
        Panel::new("", Axis::log("categories"), Axis::linear("F-measure")).costs("dense matrix", costs);
    for learner in 0..learners {
        let validations =
            || steps.iter().map(move |step| (step.categories as f64, &step.validations[learner]));
        let name = validations().next().map_or("", |(_, validation)| validation.method.name());
        let points = validations().filter_map(|(categories, validation)| {
            let Spread { mean, sd } = validation.f_measure?;
            Some((categories, mean, mean - sd, mean + sd))
        });
        panel = panel.line(Line::with_spread(name, learner, points));
    }
    let plot = Chart::new("F-measure by the number of categories").panel(panel);
    let mut table = Table::new("by-categories", "The F-measure by the number of categories.")
        .texts(["learner"])
        .column(Column::text("milestones").note("asked for"))
        .numbers(["categories", "a page", "pages without", "dense matrix, bytes", "F-measure"])
        .column(Column::number("F-measure, sd").note("±"))
        .numbers(["AUC"]);
    for (step, validation) in
        steps.iter().flat_map(|step| step.validations.iter().map(move |one| (step, one)))
    {
        let [f_measure, sd] = spread(validation.f_measure);
        table = table.row([
            Cell::new(validation.method.name()),
            Cell::new(&step.goal[..]),
            Cell::count(step.categories as u64),
            Cell::number(step.categories_a_page, 2),
            Cell::count(step.pages_without as u64),
            Cell::count(step.dense_bytes),
            f_measure,
            sd,
            Cell::number(validation.auc.mean, 3),
        ]);
    }
    Section::new("How many categories")
        .figure(Figure::new(
            "by-categories",
            "F-measure of the cross-validation by the number of categories that cleansing leaves, mean ± standard \
             deviation over folds, and below it the size of a dense matrix.",
            |width| plot.draw(width),
        ))
        .table(table)
}

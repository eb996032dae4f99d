// SPDX-License-Identifier: Apache-2.0
//! Plans the benchmark's scenarios with iceberg-rust: plan-peer METADATA_FILE REPEATS
//! One line a scenario: name, milliseconds (best), files, bytes, rows; separated by tabs.
use std::time::Instant;

use futures::TryStreamExt;
use iceberg::expr::{Predicate, Reference};
use iceberg::io::FileIO;
use iceberg::spec::Datum;
use iceberg::table::StaticTable;
use iceberg::{Result, TableIdent};

fn between(from: &str, to: &str) -> Result<Predicate> {
    let ts = || Reference::new("order_ts");
    Ok(ts()
        .greater_than_or_equal_to(Datum::timestamptz_from_str(format!("{from}T00:00:00+00:00"))?)
        .and(ts().less_than(Datum::timestamptz_from_str(format!("{to}T00:00:00+00:00"))?)))
}

fn above(column: &str) -> Predicate {
    Reference::new(column).greater_than(Datum::int(16777215))
}

/// It always decodes all metrics, and its tasks carry none.
fn scenarios() -> Result<Vec<(&'static str, Option<Predicate>)>> {
    let customer = Reference::new("customer_id").equal_to(Datum::long(8237));
    Ok(vec![
        ("all tasks", None),
        ("a day, day half", Some(between("2017-05-05", "2017-05-06")?)),
        ("a day, month half", Some(between("2012-05-05", "2012-05-06")?)),
        ("a month and a customer", Some(between("2017-05-01", "2017-06-01")?.and(customer))),
        ("a metric of column 6", Some(above("c6"))),
        ("a metric of column 251", Some(above("c251"))),
    ])
}

async fn open(metadata: &str) -> Result<StaticTable> {
    let name = TableIdent::from_strs(["db", "t"])?;
    StaticTable::from_metadata_file(metadata, name, FileIO::new_with_fs()).await
}

async fn plan(metadata: &str, filter: &Option<Predicate>) -> Result<[u64; 3]> {
    let table = open(metadata).await?; // a new one: it remembers manifests
    let mut scan = table.scan();
    if let Some(filter) = filter {
        scan = scan.with_filter(filter.clone());
    }
    let mut tasks = scan.build()?.plan_files().await?;
    let mut sums = [0; 3];
    while let Some(task) = tasks.try_next().await? {
        sums[0] += 1;
        sums[1] += task.file_size_in_bytes;
        sums[2] += task.record_count.unwrap_or(0);
    }
    Ok(sums)
}

#[tokio::main(flavor = "multi_thread", worker_threads = 2)]
async fn main() -> Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    let (metadata, repeats) = (&arguments[1], arguments[2].parse::<u32>().unwrap());
    let columns = open(metadata).await?.metadata().current_schema().as_struct().fields().len();
    for (name, filter) in scenarios()? {
        if name.ends_with("251") && columns < 251 {
            continue;
        }
        let (mut best, mut sums) = (f64::INFINITY, [0; 3]);
        for _ in 0..repeats {
            let start = Instant::now();
            sums = plan(metadata, &filter).await?;
            best = best.min(start.elapsed().as_secs_f64() * 1e3);
        }
        println!("{name}\t{best:.2}\t{}\t{}\t{}", sums[0], sums[1], sums[2]);
    }
    Ok(())
}

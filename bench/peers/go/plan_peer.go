// SPDX-License-Identifier: Apache-2.0

// Plans the benchmark's scenarios with iceberg-go: plan_peer METADATA_FILE REPEATS
// One line a scenario: name, milliseconds (best), files, bytes, rows; separated by tabs.
package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/io"
	"github.com/apache/iceberg-go/table"
)

func timestamp(day string) iceberg.Timestamp {
	t, err := time.Parse(time.DateOnly, day)
	check(err)
	return iceberg.Timestamp(t.UnixMicro())
}

func between(from, to string) iceberg.BooleanExpression {
	ts := iceberg.Reference("order_ts")
	return iceberg.NewAnd(
		iceberg.GreaterThanEqual(ts, timestamp(from)), iceberg.LessThan(ts, timestamp(to)))
}

func above(column string) iceberg.BooleanExpression {
	return iceberg.GreaterThan(iceberg.Reference(column), int32(16777215))
}

type scenario struct {
	name    string
	filter  iceberg.BooleanExpression
	metrics bool
}

var scenarios = []scenario{
	{"all tasks", nil, false},
	{"all tasks, all metrics", nil, true},
	{"a day, day half", between("2017-05-05", "2017-05-06"), false},
	{"a day, month half", between("2012-05-05", "2012-05-06"), false},
	{"a month and a customer", iceberg.NewAnd(between("2017-05-01", "2017-06-01"),
		iceberg.EqualTo(iceberg.Reference("customer_id"), int64(8237))), false},
	{"a metric of column 6", above("c6"), false},
	{"a metric of column 251", above("c251"), false},
}

// What was read must not be optimised away.
var sink int64

func readMetrics(f iceberg.DataFile) {
	for _, counts := range []map[int]int64{f.ColumnSizes(), f.ValueCounts(), f.NullValueCounts()} {
		for _, value := range counts {
			sink += value
		}
	}
	for _, bounds := range []map[int][]byte{f.LowerBoundValues(), f.UpperBoundValues()} {
		for _, value := range bounds {
			sink += int64(value[0])
		}
	}
}

func open(metadata string) *table.Table {
	t, err := table.NewFromLocation(context.Background(), table.Identifier{"db", "t"}, metadata,
		io.LoadFSFunc(nil, metadata), nil)
	check(err)
	return t
}

func plan(metadata string, s scenario) [3]int64 {
	options := []table.ScanOption{table.WithMaxConcurrency(2)}
	if s.filter != nil {
		options = append(options, table.WithRowFilter(s.filter))
	}
	tasks, err := open(metadata).Scan(options...).PlanFiles(context.Background())
	check(err)
	var sums [3]int64
	for _, task := range tasks {
		sums[0]++
		sums[1] += task.File.FileSizeBytes()
		sums[2] += task.File.Count()
		sink += int64(len(task.File.FilePath()) + len(task.File.Partition()))
		if s.metrics {
			readMetrics(task.File)
		}
	}
	return sums
}

func main() {
	metadata := os.Args[1]
	repeats, err := strconv.Atoi(os.Args[2])
	check(err)
	_, hasColumn := open(metadata).Schema().FindFieldByName("c251")
	for _, s := range scenarios {
		if strings.HasSuffix(s.name, "251") && !hasColumn {
			continue
		}
		var best time.Duration
		var sums [3]int64
		for i := 0; i < repeats; i++ {
			start := time.Now()
			sums = plan(metadata, s)
			if took := time.Since(start); i == 0 || took < best {
				best = took
			}
		}
		fmt.Printf("%s\t%.2f\t%d\t%d\t%d\n", s.name, float64(best.Microseconds())/1e3, sums[0],
			sums[1], sums[2])
	}
	if sink == 42 {
		fmt.Fprintln(os.Stderr)
	}
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

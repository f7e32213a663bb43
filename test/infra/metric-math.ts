/** A metric or a result, with a value for each period of a range. A period without data has undefined. */
export type Series = readonly (number | undefined)[];

type Value = number | Series | readonly Series[];

const isSeries = (value: Value): value is Series =>
  Array.isArray(value) && !value.some((each) => Array.isArray(each));

/**
 * The result of a CloudWatch metric math expression, as far as the alarms use the language. Where AWS does not document whether
 * missing data is filled, it stays missing.
 * @throws Error for anything else
 */
export function evaluate(expression: string, metrics: Readonly<Record<string, Series>>): Series {
  const range = Object.values(metrics)[0]?.length ?? 0;
  const tokens = expression.match(/[A-Za-z_]\w*|\d+(\.\d+)?|\S/g) ?? [];
  let next = 0;

  const take = (token: string) => {
    if (tokens[next++] !== token) throw new Error(`Expected ${token} at ${tokens.slice(next - 1).join(" ")}`);
  };

  function sum(): Value {
    let value = term();
    while (tokens[next] === "+" || tokens[next] === "-") {
      const sign = tokens[next++] === "+" ? 1 : -1;
      const [left, right] = [series(value), series(term())];
      // What is missing counts as 0, unless both are.
      value = left.map((each, index) =>
        each === undefined && right[index] === undefined
          ? undefined
          : (each ?? 0) + sign * (right[index] ?? 0),
      );
    }
    return value;
  }

  function term(): Value {
    const token = tokens[next++] ?? "";
    if (/^\d/.test(token)) return Number(token);
    if (tokens[next] !== "(") return metrics[token] ?? fail(`There is no metric ${token}`);
    take("(");
    const call = functions[token] ?? fail(`${token} is not emulated`);
    const value = call();
    take(")");
    return value;
  }

  const functions: Record<string, () => Value> = {
    METRICS: () => Object.values(metrics),
    TIME_SERIES: () => Array<number>(range).fill(scalar(sum())),
    SUM: () => over(sum(), (values) => values.reduce((total, each) => total + each)),
    MAX: () => over(sum(), (values) => Math.max(...values)),
    FILL() {
      const value = sum();
      take(",");
      const filler = tokens[next] === "REPEAT" ? tokens[next++] : scalar(sum());
      const filled = (one: Series) => fill(one, filler);
      return typeof value === "number" || isSeries(value) ? filled(series(value)) : value.map(filled);
    },
    IF() {
      const condition = series(sum());
      take(",");
      const then = series(sum());
      return condition.map((each, index) => (each ? (then[index] ?? 0) : undefined));
    },
  };

  const result = series(sum());
  if (next < tokens.length) fail(`Unexpected ${tokens.slice(next).join(" ")}`);
  return result;
}

/** A metric without any data is not filled, since that is not documented. */
function fill(series: Series, filler: number | string | undefined): Series {
  if (series.every((each) => each === undefined)) return series;
  if (typeof filler === "number") return series.map((each) => each ?? filler);
  let last: number | undefined;
  return series.map((each) => {
    last = each ?? last;
    return last;
  });
}

/** Combines the values that several series have in each period. */
function over(value: Value, combine: (values: number[]) => number): Series {
  if (typeof value === "number" || isSeries(value))
    return fail("Of one series, the result would be one number");
  const [first = []] = value;
  return first.map((_, index) => {
    const present = value.map((each) => each[index]).filter((each) => each !== undefined);
    return present.length === 0 ? undefined : combine(present);
  });
}

const series = (value: Value): Series =>
  typeof value !== "number" && isSeries(value) ? value : fail("Expected one series");

const scalar = (value: Value): number => (typeof value === "number" ? value : fail("Expected a number"));

function fail(message: string): never {
  throw new Error(message);
}

import type { Duration } from "aws-cdk-lib";
import type { AlarmProps, MathExpression, Metric } from "aws-cdk-lib/aws-cloudwatch";

/** Adds an alarm on the sum of a metric over five minutes. By default, a count of three raises it. */
export type AddAlarm = (
  id: string,
  metric: Metric | MathExpression,
  description: string,
  raised?: Partial<AlarmProps> & { period?: Duration },
) => void;

/** Looks at two periods, because the last one may look healthy only because its data is late. */
export const lateAndFilled = { evaluationPeriods: 2, datapointsToAlarm: 1 };

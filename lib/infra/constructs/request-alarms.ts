import type { Alarms } from "./alarms.ts";
import { failuresBesideRefusals } from "./faults.ts";
import type { Watched } from "./watched.ts";

const issuerFirst = (name: string) =>
  `Look first at whether the issuer's keys can be fetched, then at the log of function ${name}.`;

/** Alarms on requests that fail, and on those that ask who is calling. */
export function addRequestAlarms(alarms: Alarms, { endpoints, functions, stage }: Watched): void {
  for (const { operation, method } of endpoints)
    alarms.add(
      `${operation.name}Failures`,
      method.metricServerError(stage),
      `${operation.row.impact} Look first at the alarm of the authorizer, then at the log of function ${operation.name}.`,
    );

  const authorize = functions.get("authorize");
  alarms.add(
    `${authorize.name}Failures`,
    authorize.lambda.metricErrors(),
    `${authorize.row.impact} ${issuerFirst(authorize.name)}`,
  );
  const authorizeConnection = functions.get("authorizeConnection");
  alarms.add(
    `${authorizeConnection.name}Failures`,
    failuresBesideRefusals(authorizeConnection),
    `${authorizeConnection.row.impact} ${issuerFirst(authorizeConnection.name)}`,
  );
}

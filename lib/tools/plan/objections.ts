import type { Configuration } from "../../infra/configuration.ts";
import { unreservedRuns } from "../../infra/runs-context.ts";
import { stagesShare, totalRate } from "../../infra/throttles.ts";
import { keysPerAccount } from "../../plans/fallback-keys.ts";
import type { AccountQuotas } from "./read-quotas.ts";

/** Prefix of the names of the service's own API keys. */
const ownKeys = "TerminalApi/";

/** Fewest keys that should be left for users, so that a plan still means something. */
const fewKeys = 500;

const quota = (name: string) => `Ask AWS for a higher quota (Service Quotas, ${name})`;

/** Finds what an account cannot bear of a configuration. */
export function objectionsTo(
  { concurrentRuns, reservedRuns, throttles, fallbackKeys }: Configuration,
  account: AccountQuotas,
): string[] {
  const objections: string[] = [];
  if (account.concurrentRuns < concurrentRuns)
    objections.push(
      `The account can run ${account.concurrentRuns} functions at once, and context concurrentRuns expects ${concurrentRuns}. ${quota("Lambda: Concurrent executions")}, or add -c concurrentRuns=${account.concurrentRuns}`,
    );
  const reserved = Object.values(reservedRuns).reduce((sum, runs) => sum + runs, 0);
  const reservable = Math.max(0, account.concurrentRuns - unreservedRuns);
  if (reserved > reservable)
    objections.push(
      `Context reservedRuns adds up to ${reserved}, and the account can reserve ${reservable}: Lambda keeps ${unreservedRuns} of its ${account.concurrentRuns} runs for other functions`,
    );
  const rate = totalRate(throttles);
  if (rate > stagesShare * account.requestsPerSecond)
    objections.push(
      `Context throttles adds up to ${rate} requests a second, and API Gateway takes ${account.requestsPerSecond} from the account, of which pushes need a fifth. Add -c accountRequestsPerSecond=${account.requestsPerSecond}`,
    );
  const room = roomForKeys(account);
  if (room < fallbackKeys + 1)
    objections.push(
      `The account has room for ${room} API keys besides those of other programs, and the fallback keys and the shared key need ${fallbackKeys + 1}. Delete keys, use another account, or lower context fallbackKeys`,
    );
  return objections;
}

/** Finds what an account can only just bear. */
export function doubtsAbout({ fallbackKeys, reservedRuns }: Configuration, account: AccountQuotas): string[] {
  const room = roomForKeys(account) - fallbackKeys - 1;
  const reserved = Object.values(reservedRuns).reduce((sum, runs) => sum + runs, 0);
  const others = Math.max(0, account.unreservedRuns - unreservedRuns);
  return [
    ...(room >= 0 && room < fewKeys
      ? [`Only ${room} API keys are left for users, so most of them share limits`]
      : []),
    ...(reserved > others
      ? [
          `Context reservedRuns adds up to ${reserved}, and ${others} more runs can be reserved; the rest must be this deployment's already`,
        ]
      : []),
  ];
}

/** Counts the API keys that this service may have: all that other programs leave. */
const roomForKeys = ({ keyNames }: AccountQuotas): number =>
  keysPerAccount - keyNames.filter((name) => !name.startsWith(ownKeys)).length;

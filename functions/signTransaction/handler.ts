import { openVault } from "../../lib/aws/vault.ts";
import { prepareToSign } from "../../lib/chains/evm/venues/signed-transaction.ts";
import { prepareToSignMessages } from "../../lib/chains/sol/messages/signed-message.ts";
import { walled } from "../../lib/runtime/background.ts";
import { openCheckingTable } from "../../lib/runtime/checking-table.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { inTime } from "../../lib/runtime/in-time.ts";
import {
  logForbidden,
  logPostponement,
  logRefusal,
  logSignature,
  logWarning,
} from "../../lib/runtime/log.ts";
import { checksBy, macsOf } from "../../lib/trading/signing/intent-mac.ts";
import { answerSigning } from "../../lib/trading/signing/sign-transaction.ts";
import { Streaks } from "../../lib/trading/signing/streaks.ts";

const vault = openVault(environment("KEY_ID"));
// Shares one KMS connection between all KMS keys.
const macsBy = (keyId: string) => macsOf(vault.client, keyId, environment("TABLE_ID"));
const deps = {
  table: openCheckingTable(),
  vault,
  checks: checksBy(macsBy(environment("MAC_KEY_ID")), macsBy(environment("CHILD_MAC_KEY_ID"))),
  chains: environment("SIGNING"),
  onSigned: logSignature,
  onRefused: logRefusal,
  onPostponed: logPostponement,
  onForbidden: logForbidden,
  streaks: new Streaks(),
  onFault: (error: unknown) => logWarning("signTransaction", error),
};
prepareToSign();
if ("sol" in deps.chains) prepareToSignMessages();

export const handler = walled("signTransaction", (event, context) =>
  inTime(context, () => answerSigning(deps, event)),
);

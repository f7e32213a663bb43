import type { Context } from "aws-lambda";
import { macsOf } from "../../lib/aws/intent-mac.ts";
import { openTable } from "../../lib/aws/table.ts";
import { openVault } from "../../lib/aws/vault.ts";
import { prepareToSign } from "../../lib/chains/signed-transaction.ts";
import { background } from "../../lib/runtime/background.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { inTime } from "../../lib/runtime/in-time.ts";
import { logRefusal, logSignature, logWarning } from "../../lib/runtime/log.ts";
import { readSignRequest, signPayload } from "../../lib/trading/sign-payload.ts";
import { signOnRequest } from "../../lib/trading/sign-transaction.ts";

const vault = openVault(environment("KEY_ID"));
const deps = {
  table: openTable(environment("TABLE_NAME")),
  vault,
  // One connection serves both keys.
  checkMac: macsOf(vault.client, environment("MAC_KEY_ID")).checkMac,
  chains: environment("TRADING"),
  onSigned: logSignature,
  onRefused: logRefusal,
  onFault: (error: unknown) => logWarning("signTransaction", error),
};
prepareToSign();

export const handler = background("signTransaction", async (event: unknown, context?: Context) =>
  signPayload(await inTime(context, () => answerTo(readSignRequest(event)))),
);

async function answerTo(request: ReturnType<typeof readSignRequest>) {
  if (request !== undefined) return signOnRequest(deps, request);
  const reason = "the request cannot be read";
  logRefusal({ orderID: undefined, reason, awsRequestId: undefined });
  return { refused: reason };
}

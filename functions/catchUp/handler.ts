import type { Context } from "aws-lambda";
import { openPusher } from "../../lib/aws/push.ts";
import { type CatchUp, type CatchUpDeps, catchUp } from "../../lib/realtime/catch-up.ts";
import { pushReserveMs } from "../../lib/realtime/push-outcome.ts";
import { background, deadlineOf } from "../../lib/runtime/background.ts";
import { environment } from "../../lib/runtime/environment.ts";
import { reporter } from "../../lib/runtime/log.ts";
import { openTable } from "../../lib/table/table.ts";

const deps: CatchUpDeps = {
  table: { ...openTable(environment("TABLE_NAME")), id: environment("TABLE_ID") },
  pusher: openPusher(),
  ...reporter("catchUp"),
};

export const handler = background("catchUp", (event: CatchUp, context: Context) =>
  catchUp(deps, event, { deadline: deadlineOf(context, pushReserveMs) }),
);

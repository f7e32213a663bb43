import { type Command, Option } from "commander";
import { type Context, withContext } from "../../runner/run-program.ts";
import { OperatorError } from "../operator-error.ts";
import { targeted } from "../options.ts";
import { readService } from "../status/service-state.ts";
import { statusLines } from "../status/status-lines.ts";
import { type AdminDeps, planStack, type StatusOptions, watchStack } from "../target.ts";
import { print } from "../terminal.ts";

type Options = StatusOptions & { context: Context };

export function status(program: Command, deps: AdminDeps): void {
  targeted(
    program
      .command("status")
      .description(
        "Show on one screen whether all is well: the newest block of each chain, its hosts, the runs that read it, " +
          "lanes, queues, alarms that are on, and the last deploy. Exits with 1 if something is wrong.",
      )
      .option(
        "-c, --context <key=value...>",
        "with --stack: context, as for the deploy, which names the hosts of chains",
        withContext,
        {},
      )
      .addOption(
        new Option("--api-stack <name>", "with --stack: the name of the deployed API stack")
          .default(planStack.example)
          .conflicts("local"),
      )
      .addOption(
        new Option("--watch-stack <name>", "with --stack: the name of the deployed stack of alarms")
          .default(watchStack)
          .conflicts("local"),
      ),
  ).action(async (options: Options) => {
    const now = deps.now();
    const target = await deps.openStatus(options);
    const { name, table, trading, hasSteadyBlocks } = target;
    const [service, deployment] = await Promise.all([
      readService(table, trading, now),
      target.readDeployment(now),
    ]);
    const { lines, wrong } = statusLines({ name, now, hasSteadyBlocks, service, deployment });
    for (const line of lines) print(deps.stdout, line);
    if (wrong.length > 0) throw new OperatorError(`Wrong: ${wrong.length}`);
  });
}

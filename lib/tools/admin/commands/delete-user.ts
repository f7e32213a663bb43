import { type Command, Option } from "commander";
import { deletionReceipt } from "../deletion-receipt.ts";
import { OperatorError } from "../operator-error.ts";
import { integer, targeted } from "../options.ts";
import { privateKeysOf, type SealedWalletKey, walletKeyText } from "../private-keys.ts";
import { type AdminDeps, type PlanTargetOptions, streamStack } from "../target.ts";
import { harmless, print } from "../terminal.ts";
import { deleteUserData } from "../user-deletion.ts";

type Options = PlanTargetOptions & { yes?: true; deleteKeys?: true; wait: number };

export function deleteUser(program: Command, deps: AdminDeps): void {
  targeted(
    program
      .command("delete-user <id>")
      .description(
        "Delete a user: end sessions, cancel orders, remove all data except what accounts for money, and print a " +
          "receipt of what stays. Private keys stay until their owner has exported them. Reads the whole table. The " +
          "command may be stopped at any time; run it again to continue.",
      )
      .option(
        "--delete-keys",
        "also delete private keys that their owner has not exported; coins may be lost",
      )
      .option("--yes", "do not ask")
      .addOption(
        new Option("--wait <minutes>", "how long to wait until cancelled orders have settled")
          .argParser(integer(0, 1440))
          .default(5),
      )
      .addOption(
        new Option("--api-stack <name>", "with --stack: the name of the deployed API stack")
          .default(streamStack.example)
          .conflicts("local"),
      ),
  ).action(async (userID: string, { yes, deleteKeys, wait, ...options }: Options) => {
    if (!yes) {
      const { table } = await deps.openTarget(options);
      await askFirst(deps, userID, {
        keys: await privateKeysOf(table, userID),
        deleteKeys: deleteKeys === true,
      });
    }
    const [connections, plans, directory] = await Promise.all([
      deps.openConnections(options),
      deps.openPlans(options),
      deps.openDirectory(options),
    ]);
    const { now, pauseMs, stdout, stderr } = deps;
    const say = (line: string) => print(stderr, harmless(line));
    const deletion = await deleteUserData({ connections, plans, directory, now, pauseMs, say }, userID, {
      deleteKeys: deleteKeys === true,
      waitMs: wait * 60_000,
    });
    const { table } = connections;
    const hasDirectory = directory !== undefined;
    const receipt = await deletionReceipt(table, userID, { deletion, hasDirectory });
    for (const line of receipt) print(stdout, harmless(line));
  });
}

/** @throws {OperatorError} unless the operator says yes to each question. */
async function askFirst(
  { confirm }: AdminDeps,
  userID: string,
  { keys, deleteKeys }: { keys: SealedWalletKey[]; deleteKeys: boolean },
): Promise<void> {
  const exported = keys.filter(({ exportedAt }) => exportedAt !== undefined);
  const others = keys.filter(({ exportedAt }) => exportedAt === undefined);
  const isWhole = deleteKeys || others.length === 0;
  const questions = [
    `Delete ${harmless(userID)} with all data? Nothing brings it back.${isWhole ? listed("Exported private keys go, too", exported) : ""}`,
    ...(deleteKeys
      ? [
          `Delete private keys that were never exported, too? Nobody can reach their coins afterwards.${listed("The keys", others)}`,
        ]
      : []),
  ];
  for (const question of questions)
    if (!(await confirm(question))) throw new OperatorError("Nothing was deleted");
}

const listed = (title: string, keys: readonly SealedWalletKey[]) =>
  keys.length === 0 ? "" : ` ${title}: ${keys.map((key) => harmless(walletKeyText(key))).join("; ")}.`;

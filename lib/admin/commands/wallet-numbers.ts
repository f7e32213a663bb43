import type { Command } from "commander";
import type { Table } from "../../aws/table.ts";
import { everyWallet } from "../../aws/table-keys.ts";
import { walletsOfUser } from "../../aws/wallet-records.ts";
import type { Wallet } from "../../domain/wallet.ts";
import { numberWallets } from "../../wallets/number-wallets.ts";
import { targeted } from "../options.ts";
import { scan } from "../scan.ts";
import type { AdminDeps, TargetOptions } from "../target.ts";
import { print } from "../terminal.ts";

export function numberWalletsCommand(program: Command, deps: AdminDeps): void {
  targeted(
    program
      .command("number-wallets")
      .description(
        "Give the wallets of version 0.1 the numbers that lists show for them, for good. Reads the whole table. " +
          "May be stopped and run again at any time.",
      ),
  ).action(async (options: TargetOptions) => {
    const { table } = await deps.openTarget(options);
    let count = 0;
    for (const userID of await usersWithout(table))
      count += await numberWallets(table, await walletsOfUser(table, userID));
    print(deps.stdout, `wallets numbered: ${count}`);
  });
}

async function usersWithout(table: Table): Promise<Set<string>> {
  const users = new Set<string>();
  for await (const { UserID, slot } of scan<Wallet>(table, everyWallet, ["UserID", "slot"]))
    if (slot === undefined) users.add(UserID);
  return users;
}

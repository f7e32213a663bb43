import type { Command } from "commander";
import { chains } from "../../../core/network.ts";
import { type Plan, planOf } from "../../../plans/plan.ts";
import { readUserKeyRecord, type UserKeyRecord } from "../../../plans/user-key-records.ts";
import type { EarnedRow } from "../../../rewards/earned-row.ts";
import { earnedRowsWith } from "../../../rewards/item-keys.ts";
import { queryRange, type Table } from "../../../table/table.ts";
import { earningsAt } from "../../../users/earnings.ts";
import { xpAt } from "../../../users/experience.ts";
import type { Profile } from "../../../users/profile.ts";
import { readProfileWithSettings } from "../../../users/profile-records.ts";
import { type Settings, settingsInForce } from "../../../users/settings.ts";
import { streakAt } from "../../../users/streak.ts";
import { targeted } from "../options.ts";
import { accountSheet, readAccount } from "../redemption-sheet.ts";
import type { AdminDeps, TargetOptions } from "../target.ts";
import { harmless, print } from "../terminal.ts";
import { readWallets, walletSheet } from "../wallet-sheet.ts";
import { summaryOf } from "./list-users.ts";
import { existingProfile } from "./set-user.ts";

export function showUser(program: Command, deps: AdminDeps): void {
  targeted(
    program
      .command("show-user <id>")
      .description(
        "Show a user's profile, the settings in force, the wallets with their states and limits, and the newest changes of points and redemptions.",
      )
      .option("--json", "as a JSON object"),
  ).action(async (userID: string, { json, ...options }: TargetOptions & { json?: true }) => {
    const { table } = await deps.openTarget(options);
    const details = await readDetails(table, userID, deps.now());
    const lines = json ? [JSON.stringify(details, null, 2)] : userSheet(details);
    for (const line of lines) print(deps.stdout, line);
  });
}

/** Maximum number of earned rows to read. Those of other users can be among them. */
const mostEarned = 1000;

type UserDetails = Awaited<ReturnType<typeof readDetails>>;

/**
 * Collects everything that operators may see about a user. Encrypted private keys and values of API keys are left out.
 *
 * @throws {OperatorError} if the user does not exist.
 */
async function readDetails(table: Table, userID: string, now: Date) {
  const found = await existingProfile(table, userID);
  const [{ profile, settings }, wallets, record, account, earned] = await Promise.all([
    readProfileWithSettings(table, userID),
    readWallets(table, userID, now),
    readUserKeyRecord(table, userID),
    readAccount(table, found),
    queryRange<EarnedRow>(table, earnedRowsWith(userID), { limit: mostEarned }),
  ]);
  const inForce: [string, Partial<Settings>][] = chains.map((chain) => [
    chain,
    settingsInForce(chain, settings[chain]),
  ]);
  return {
    ...summaryOf(profile),
    plan: planOf(profile),
    apiKey: apiKeyOf(record),
    xp: xpAt(profile.experience, now),
    earnings: {
      ...earningsOf(profile, now),
      /** Trades and shares that wait for their credit, such as for a price. */
      waiting: earned.filter((row) => row.userID === userID).length,
    },
    refID: profile.refID,
    referredBy: profile.referredBy ?? null,
    createdAt: profile.createdAt,
    blockedAt: profile.blockedAt ?? null,
    settings: Object.fromEntries(inForce),
    wallets,
    account,
  };
}

/** Describes what trades have earned, and how much of the day's caps is used. */
function earningsOf({ earnings, xpMultiplier, ranked, publicName }: Profile, now: Date) {
  const { tradingDays, streak, ...sums } = earningsAt(earnings, now);
  return {
    tradingDays,
    streak: streakAt(streak, now),
    xpMultiplier,
    ranked,
    publicName: publicName ?? null,
    xpToday: sums.ownMicroXp / 1e6,
    pointsToday: sums.ownMicroPoints / 1e6,
    sharedXpToday: sums.sharedMicroXp / 1e6,
    sharedPointsToday: sums.sharedMicroPoints / 1e6,
  };
}

/** Describes the current API key. While the next key is being created, also names its plan. */
function apiKeyOf({ current, next }: Pick<UserKeyRecord, "current" | "next"> = {}) {
  return {
    current: current === undefined ? null : withoutValue(current),
    next: next?.plan ?? null,
  };
}

function withoutValue({ keyId, planId, plan, activeFrom }: NonNullable<UserKeyRecord["current"]>) {
  return { keyId, planId, plan, activeFrom };
}

function userSheet({
  settings,
  wallets,
  account,
  xp,
  earnings,
  plan,
  apiKey,
  ...facts
}: UserDetails): string[] {
  const texts = {
    blockedAt: facts.blockedAt ?? "not blocked",
    plan: planText(plan),
    apiKey: apiKeyText(apiKey),
    xp: pairs(xp),
    earnings: pairs({ ...earnings, publicName: earnings.publicName ?? "none" }),
    wallets: wallets.filter(({ state }) => state === "active").length,
  };
  return [
    ...Object.entries({ ...facts, ...texts }).map(([name, value]) => {
      return `${name.padEnd(12)} ${harmless(String(value ?? "nobody"))}`;
    }),
    "settings",
    ...Object.entries(settings).map(([chain, values]) => `  ${chain.padEnd(5)} ${pairs(values)}`),
    "wallets",
    ...walletSheet(wallets),
    ...accountSheet(account, facts.points),
  ];
}

function planText({ name, requestsPerMinute }: Plan): string {
  return `${name}, ${requestsPerMinute} requests a minute`;
}

function apiKeyText({ current, next }: UserDetails["apiKey"]): string {
  const texts = [
    ...(current
      ? [
          `${current.keyId} on ${planText(current.plan)} (${current.planId}), active from ${current.activeFrom}`,
        ]
      : []),
    ...(next ? [`being made for ${planText(next)}`] : []),
  ];
  return texts.join("; ") || "none";
}

function pairs(values: object): string {
  return Object.entries(values)
    .map(([name, value]) => `${name} ${value}`)
    .join(", ");
}

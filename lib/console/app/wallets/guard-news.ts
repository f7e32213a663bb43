import type { ServerMessage, Wallet } from "trading-terminal-client";
import { coinOf, day } from "../format.ts";
import { looserLimits, type Policy } from "./looser-limits.ts";

/** News about a guard of the user's wallets that has become looser or soon will, or about a key that may trade them. */
export type GuardNews = {
  of: "export" | "lock" | "policy" | "programKey";
  /** Id of the announcement. It stays the same when the service repeats the announcement. */
  id: string;
  walletId?: string;
  /** Names the program key that was made. */
  key?: Pick<ProgramKey, "keyId" | "name" | "scopes">;
  /** Time at which the change takes effect. Absent if the change already has taken effect. */
  at?: string | undefined;
  version?: number;
  /** True if the guard is tight again. */
  isOver?: boolean;
  /** Policy in force, the looser policy, and the policy that the looser one replaces, if known. */
  policies?: { inForce: Policy; looser: Policy; before?: Policy | undefined };
};

/** Updates the news with a message, which replaces older news about the same guard. */
export function withGuardNews(news: readonly GuardNews[], message: ServerMessage): readonly GuardNews[] {
  switch (message.type) {
    case "WalletExportRequested": {
      const { walletId, availableAt: at, thumbprint, version } = message.data;
      const id = `export ${walletId} ${thumbprint} ${at}`;
      return withNewest(news, { of: "export", id, walletId, at, version });
    }
    case "WalletPolicyUpdated":
      return withNewest(news, policyNews(news, message.data));
    case "ExportLockUpdated": {
      const { status, lockedAt, unlocksAt: at } = message.data;
      const id = `lock ${status} ${at ?? lockedAt ?? message.time}`;
      // Locking cancels all exports.
      const others = status === "unlocked" ? news : news.filter(({ of }) => of !== "export");
      return withNewest(others, { of: "lock", id, at, isOver: status === "locked" });
    }
    case "ProgramKeyAdded":
    case "ProgramKeyRevoked": {
      const { key } = message.data;
      const isOver = key.revokedAt !== undefined;
      // Announces a key again if it may do more than before. No honest writer changes it, except to revoke it.
      const id = `key ${JSON.stringify(Object.entries(key).toSorted())}`;
      // A key is revoked for good, whatever arrives late.
      return withNewest(news, {
        of: "programKey",
        id,
        key,
        isOver,
        version: Number(isOver),
      });
    }
    default:
      return news;
  }
}

type ProgramKey = Extract<ServerMessage, { type: "ProgramKeyAdded" }>["data"]["key"];
type PolicyChange = Extract<ServerMessage, { type: "WalletPolicyUpdated" }>["data"];

function policyNews(
  news: readonly GuardNews[],
  { walletId, policy, pending, change, version }: PolicyChange,
): GuardNews {
  const id = `policy ${walletId} ${version}`;
  const at = pending?.effectiveAt;
  // Compares with the previous policy if its version is lower by one. If versions are missing in between, the previous
  // policy is unknown.
  const last = news.find((each) => each.of === "policy" && each.walletId === walletId);
  const before = last?.version === version - 1 ? last.policies?.inForce : undefined;
  return {
    of: "policy",
    id,
    walletId,
    at,
    version,
    isOver: at === undefined && change !== "loosened",
    policies: {
      inForce: policy,
      looser: pending?.policy ?? policy,
      before: pending ? policy : before,
    },
  };
}

/** Adds news, unless it is repeated or late. */
function withNewest(news: readonly GuardNews[], newest: GuardNews): readonly GuardNews[] {
  const isSame = ({ of, walletId, key }: GuardNews) =>
    of === newest.of && walletId === newest.walletId && key?.keyId === newest.key?.keyId;
  const known = news.find(isSame);
  const isOld = (known?.version ?? 0) > (newest.version ?? 0);
  return known?.id === newest.id || isOld ? news : [...news.filter((each) => !isSame(each)), newest];
}

/** Describes a change, its time and how to stop it. `undo` labels a button if one request can stop it. */
export type GuardText = { what: string; stop: string; undo?: string };

/**
 * Describes news about a guard to the user.
 * @param wallet Undefined if the wallet is retired.
 */
export function guardText(
  { of, at, policies, key }: GuardNews,
  wallet: Pick<Wallet, "slotName" | "network"> | undefined,
): GuardText {
  const time = at && day(at);
  const name = wallet?.slotName ?? "a wallet";
  switch (of) {
    case "export":
      return {
        what: `An export of the private key of ${name} was requested. Unless it is cancelled, the key can be read from ${time}.`,
        stop: "Not you? Cancel it, and lock your exports.",
        undo: "Cancel the export",
      };
    case "lock":
      return {
        what: time
          ? `Unlocking of exports was requested. They unlock at ${time}.`
          : "Exports are no longer locked.",
        stop: "Not you? Lock them again.",
        undo: "Lock exports again",
      };
    case "programKey":
      return {
        what: `The program key ${key?.name} was made. Its program may ${key?.scopes.join(", ")} as you.`,
        stop: "Not you? Revoke it.",
        undo: "Revoke the key",
      };
    case "policy": {
      const coin = wallet ? coinOf[wallet.network] : "coins";
      const looser = policies?.before ? looserLimits(policies.before, policies.looser, coin) : [];
      const list = looser.length > 0 ? `: ${looser.join(", ")}` : "";
      const freeze = "open the wallet and turn off its trading, which applies at once.";
      return time
        ? {
            what: `Looser limits for ${name} were requested${list}. They apply from ${time}.`,
            stop: `Not you? Keep the limits, or ${freeze}`,
            undo: "Keep the limits",
          }
        : {
            what: `Looser limits for ${name} are in force${list}.`,
            stop: `Not you? Tighten them, or ${freeze}`,
          };
    }
  }
}

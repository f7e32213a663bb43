/** The content of a push, as docs/notices.md describes it. */
export type PushedNotice = { id: string; type: string; data: Readonly<Record<string, unknown>> };

/** How the browser shows a notice. */
export type NoticeText = { title: string; body: string };

const stranger = "Not you? Open the terminal and";

/** Describes the notices of custody. Their names come from the user, and ids of wallets tell people nothing. */
const custodyTexts: Readonly<Record<string, (fact: (name: string) => string) => NoticeText>> = {
  WalletExportRequested: (fact) => ({
    title: "Export of a private key requested",
    body: `The key can be read from ${fact("availableAt")}. ${stranger} cancel the export.`,
  }),
  ExportUnlockRequested: (fact) => ({
    title: "Unlocking of exports requested",
    body: `Exports unlock at ${fact("unlocksAt")}. ${stranger} lock them again.`,
  }),
  ExportsUnlocked: () => ({
    title: "Exports are no longer locked",
    body: `${stranger} lock them again.`,
  }),
  LooserPolicyRequested: (fact) => ({
    title: "Looser limits of a wallet requested",
    body: `They apply from ${fact("effectiveAt")}. ${stranger} keep the limits.`,
  }),
  PolicyLoosened: () => ({
    title: "Looser limits of a wallet are in force",
    body: `${stranger} tighten them.`,
  }),
  ProgramKeyAdded: (fact) => ({
    title: `Program key ${fact("name")} was made`,
    body: `Its program may ${fact("scopes")}. ${stranger} revoke it.`,
  }),
  ProgramKeyRevoked: (fact) => ({
    title: `Program key ${fact("name")} was revoked`,
    body: "Its program can do nothing more.",
  }),
  DeviceAdded: (fact) => ({
    title: `${fact("name")} now gets your notices`,
    body: `${stranger} remove the device.`,
  }),
  DeviceRemoved: (fact) => ({
    title: `${fact("name")} was removed from your devices`,
    body: `It gets notices of exports, limits and keys until ${fact("leavesAt")}. ${stranger} add it again.`,
  }),
};

const orderEnds: Readonly<Record<string, string>> = {
  OrderFilled: "Filled",
  OrderRejected: "Not filled",
  RestingOrderEnded: "Ended without a fill",
};

const unknown: NoticeText = {
  title: "News about your account",
  body: "Open the terminal to see what has happened.",
};

/** Puts a notice into words. One of an unknown type is shown, too, because it could concern custody. */
export function noticeText(notice: PushedNotice | undefined): NoticeText {
  if (notice === undefined) return unknown;
  const { type, data } = notice;
  const fact = (name: string) => shown(data[name]);
  const end = orderEnds[type];
  return end === undefined ? (custodyTexts[type]?.(fact) ?? unknown) : orderText(end, data);
}

function orderText(end: string, { side, symbol, type, ...order }: PushedNotice["data"]): NoticeText {
  const text = String(symbol);
  const slash = text.lastIndexOf("/");
  const units = [text.slice(slash + 1), text.slice(0, slash)];
  const [spent, received] = side === "buy" ? units : units.toReversed();
  const kind = type === "market" ? "" : `${words(type)} `;
  const title = `${end}: ${kind}${side === "buy" ? "buy" : "sale"} of ${units[1]}`;
  if (order.receivedAmount !== undefined)
    return { title, body: `${order.filledAmount} ${spent} for ${order.receivedAmount} ${received}` };
  const why = order.reasonCode === undefined ? "" : ` Reason: ${words(order.reasonCode)}.`;
  return { title, body: `Nothing was traded.${why}` };
}

const words = (code: unknown) => String(code).toLowerCase().replaceAll("_", " ");

const time = /^\d{4}-\d\d-\d\dT/;

function shown(value: unknown): string {
  if (Array.isArray(value)) return value.join(", ");
  const text = String(value);
  return time.test(text)
    ? new Date(text).toLocaleString(undefined, { dateStyle: "medium", timeStyle: "short" })
    : text;
}

/** Reads a push. Returns undefined if the service did not write it; the browser has to show even such a push. */
export function readPush(text: string | undefined): PushedNotice | undefined {
  try {
    const { id, type, data = {} } = JSON.parse(text ?? "") as PushedNotice;
    return typeof id === "string" && typeof type === "string" && typeof data === "object"
      ? { id, type, data }
      : undefined;
  } catch {
    return undefined;
  }
}

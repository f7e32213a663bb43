import * as v from "valibot";

const DEFAULT = 25;
const MAXIMUM = 500;

/** The query of a list. Recorded: a limit that makes no sense is no error. */
export const pageQuery = {
  limit: v.pipe(
    v.optional(v.string(), ""),
    v.transform((text) => (/^[1-9]\d*$/.test(text) ? Math.min(Number(text), MAXIMUM) : DEFAULT)),
  ),
  position: v.optional(v.string()),
};

export type PageQuery = { limit: number; position?: string | undefined };

/**
 * A page of a list in the order of ids, and the position of the next one if there is more. A position says where the page
 * before ended, so it stays good when things are deleted or added between two pages.
 */
export function page<Item extends { id: string }>(
  items: readonly Item[],
  { limit, position }: PageQuery,
  view: (item: Item) => object,
): { item: object[]; position?: string } {
  const after = position === undefined ? "" : Buffer.from(position, "base64url").toString();
  const rest = items.filter(({ id }) => id > after).sort((a, b) => (a.id < b.id ? -1 : 1));
  const shown = rest.slice(0, limit);
  const last = rest.length > limit ? shown.at(-1) : undefined;
  return { item: shown.map(view), ...(last && { position: Buffer.from(last.id).toString("base64url") }) };
}

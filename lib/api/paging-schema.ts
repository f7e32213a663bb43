import * as v from "valibot";
import { documented, numberInText } from "./documented.ts";

const limitRule = "must be a whole number from 1 to 100";
const cursorRule = "must be the cursor of an answer to the same request";

const LimitSchema = v.pipe(
  v.string(),
  v.regex(/^([1-9]\d?|100)$/, limitRule),
  numberInText({ minimum: 1, maximum: 100 }),
);

const CursorSchema = v.pipe(
  v.optional(v.pipe(v.string(), v.regex(/^[\w-]{16,300}$/, cursorRule))),
  v.description("Cursor from the previous page. All other parameters must stay the same"),
);

const limitText = "Most records in a page, 1 to 100. A page may have fewer even if more follow.";

/** Parameters of a list that always comes in pages. */
export const paging = {
  limit: v.pipe(v.optional(LimitSchema, "50"), v.description(limitText), documented({ default: 50 })),
  cursor: CursorSchema,
};

/** Parameters of a list that comes in pages only if one of them is given. */
export const pagingOnDemand = {
  limit: v.pipe(
    v.optional(LimitSchema),
    v.description(`${limitText} 50 if only another parameter is given.`),
  ),
  cursor: CursorSchema,
};

/** Cursor in a response, for the next page. */
export const nextCursor = v.exactOptional(
  v.pipe(v.string(), v.description("Cursor of the next page. Absent on the last page")),
);

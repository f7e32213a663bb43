import * as v from "valibot";

const limitRule = "must be a whole number from 1 to 100";
const cursorRule = "must be the cursor of an answer to the same request";

const LimitSchema = v.pipe(v.string(), v.regex(/^([1-9]\d?|100)$/, limitRule));

const CursorSchema = v.pipe(
  v.optional(v.pipe(v.string(), v.regex(/^[\w-]{16,300}$/, cursorRule))),
  v.description("From the page before, whose other parameters must be the same"),
);

const limitText = "The most records of a page, 1 to 100. A page may have fewer although there are more.";

/** The parameters of a list that always comes in pages. */
export const paging = {
  limit: v.pipe(v.optional(LimitSchema, "50"), v.description(limitText)),
  cursor: CursorSchema,
};

/** Those of a list that comes in pages if it is asked for with a parameter. */
export const pagingOnDemand = {
  limit: v.pipe(
    v.optional(LimitSchema),
    v.description(`${limitText} 50 if only another parameter is given.`),
  ),
  cursor: CursorSchema,
};

/** In the answer. */
export const nextCursor = v.exactOptional(v.pipe(v.string(), v.description("Absent on the last page")));

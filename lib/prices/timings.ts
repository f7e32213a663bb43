/** How long the feeds wait for what, in milliseconds. */
export const timings = {
  /** Between one look at the feeds and the next, and so between one record and the next. */
  round: 1000,
  /** Without a price, until the next feed is asked; without any message, until the connection is taken for dead. */
  silence: 5000,
  /** For which the preferred feed has to tell prices before it is used again. */
  steady: 5000,
  /** For a feed to tell the rest of its prices once it has told one. */
  settling: 2000,
  /** Before a connection is tried again: at the least, which keeps within every venue's limit, and at the most. */
  reconnect: { least: 500, most: 30_000 },
  /** For a venue to answer the closing of a connection. */
  goodbye: 1000,
};

export type Timings = typeof timings;

/** Something that a request counts against. It is asked first, so that a request that is refused counts nowhere. */
export type Limit = {
  /** The gateway response for who is beyond it. */
  refusal: "THROTTLED" | "QUOTA_EXCEEDED";
  /** @param now milliseconds since the epoch, as everywhere */
  hasRoom(now: number): boolean;
  count(now: number): void;
};

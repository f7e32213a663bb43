/** What a program may do with a user's program key. Nothing else is reachable by a key. */
export const scopes = ["read", "trade", "settings"] as const;

export type Scope = (typeof scopes)[number];

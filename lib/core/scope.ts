/** What a program may do with a user's program key. A key allows nothing else. */
export const scopes = ["read", "trade", "settings"] as const;

export type Scope = (typeof scopes)[number];

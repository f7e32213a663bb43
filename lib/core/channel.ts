/** Channels with the user's own data. */
export const privateChannels = ["orders", "positions"] as const;

/** Channels with the same data for everybody. */
const publicChannels = ["prices"] as const;

export type PrivateChannel = (typeof privateChannels)[number];
export type PublicChannel = (typeof publicChannels)[number];
export type Channel = PrivateChannel | PublicChannel;

/** Every channel, in display order. */
export const channels = [...privateChannels, ...publicChannels] as const satisfies Channel[];

export const isChannel = (name: string): name is Channel => (channels as readonly string[]).includes(name);

/** Removes duplicates and sorts into display order. */
export function ordered(names: Iterable<Channel>): Channel[] {
  const wanted = new Set(names);
  return channels.filter((channel) => wanted.has(channel));
}

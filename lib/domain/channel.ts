/** Channels whose messages are for the owner of what they tell. */
export const privateChannels = ["orders", "positions"] as const;

/** Channels whose messages are the same for everybody. */
export const publicChannels = ["prices"] as const;

export type PrivateChannel = (typeof privateChannels)[number];
export type PublicChannel = (typeof publicChannels)[number];
export type Channel = PrivateChannel | PublicChannel;

/** Every channel that can be subscribed to, in the order in which they are listed. */
export const channels = [...privateChannels, ...publicChannels] as const satisfies Channel[];

export const isChannel = (name: string): name is Channel => (channels as readonly string[]).includes(name);

export const isPublic = (channel: Channel): channel is PublicChannel =>
  (publicChannels as readonly string[]).includes(channel);

/** Each channel once, in the order of the list. */
export function ordered(names: Iterable<Channel>): Channel[] {
  const wanted = new Set(names);
  return channels.filter((channel) => wanted.has(channel));
}

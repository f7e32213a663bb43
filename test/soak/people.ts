import type { Follower } from "./follower.ts";
import { createModel, type Model } from "./model.ts";
import type { Service } from "./service.ts";

/** A user of the run. */
export type Person = {
  index: number;
  id: string;
  username: string;
  token: string;
  model: Model;
  /** User who referred this one, if any. */
  referrer: Person | undefined;
  /** Imported keys as confirmed by the responses. */
  keys: { network: string; privateKey: string; address: string }[];
  /** Last version of each order and position. */
  versions: Map<string, number>;
  follower: Follower | undefined;
  /** Time before which the user sends no requests, in milliseconds since the epoch. */
  restsUntil: number;
};

const marker = /\bsoaker-(\d+)-/g;

export const idOf = (index: number, run: string) => `soaker-${index}-${run}`;

/** Finds other users' ids in a text sent to a user. Every id in a user's data starts with the user's id. */
export function strangersIn(text: string, { index }: { index: number }): string[] {
  return [...text.matchAll(marker)].filter(([, other]) => Number(other) !== index).map(([id]) => id);
}

/** One user in this many refers other users. */
const referrers = 10;

/**
 * Creates the users. Referrers sign in first, so that their codes are known. Most others sign up with one of these
 * codes at their first request.
 */
export async function makePeople(service: Service, users: number, run: string): Promise<Person[]> {
  const people: Person[] = [];
  const codes: string[] = [];
  for (let index = 0; index < users; index++) {
    const refers = index < Math.ceil(users / referrers);
    const place = index % (codes.length + 1);
    const referrer = refers ? undefined : people[place];
    const person: Person = {
      index,
      id: idOf(index, run),
      username: `Trader ${index}`,
      token: "",
      model: createModel(),
      referrer: refers || place === codes.length ? undefined : referrer,
      keys: [],
      versions: new Map(),
      follower: undefined,
      restsUntil: 0,
    };
    const { id: sub, username } = person;
    const ref = person.referrer && codes[place];
    person.token = await service.token({ sub, username, ...(ref !== undefined && { ref }) });
    people.push(person);
    if (refers) {
      const answer = await service.send(person, "GET", "/getUserData");
      if (answer?.status !== 200)
        throw new Error(`A user could not sign up: ${answer?.status} ${answer?.text}`);
      codes.push((answer.json as { refID: string }).refID);
    }
  }
  return people;
}

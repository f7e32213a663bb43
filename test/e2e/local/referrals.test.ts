import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { get } from "../support/client.ts";
import { invokeFunction } from "../support/functions.ts";
import { claimsLike, signAsIssuer } from "../support/issuer.ts";
import { timestamp } from "../support/shapes.ts";
import { profileOf, referralsOf } from "../support/terminal.ts";
import { issueToken, newUser } from "../support/users.ts";

/** Creates a named user and returns their referral code. */
async function referrer(username = "Rita") {
  const user = await newUser({ username });
  return { user, code: (await profileOf(user)).refID };
}

it("credits the referrer, and shows the referrer and the new user each other's names", async () => {
  const { user, code } = await referrer("Rita");
  const friend = await newUser({ username: "Frank", ref: code });

  const theirs = await referralsOf(friend);

  expect(theirs).toMatchObject({ referredBy: "Rita", usersReferred: 0, referrals: [] });
  expect(await referralsOf(user)).toStrictEqual({
    userID: user.id,
    username: "Rita",
    refID: code,
    usersReferred: 1,
    referredBy: null,
    referrals: [{ username: "Frank", joinedAt: timestamp }],
  });
  expect(await profileOf(user)).toMatchObject({ usersReferred: 1 });
});

it("lists a user's referrals newest first", async () => {
  const { user, code } = await referrer();

  for (const username of ["First", "Second", "Third"]) {
    await profileOf(await newUser({ username, ref: code }));
    await pause(5);
  }

  const { usersReferred, referrals } = await referralsOf(user);
  expect(usersReferred).toBe(3);
  expect(referrals.map(({ username }) => username)).toEqual(["Third", "Second", "First"]);
});

it("shows the name of a referred user, but never the id", async () => {
  const { user, code } = await referrer();
  const friend = await newUser({ username: "Frank", ref: code });
  await profileOf(friend);

  expect((await get("/getUserData?type=ref", user)).text).not.toContain(friend.id);
  expect((await get("/getUserData?type=ref", friend)).text).not.toContain(user.id);
});

describe("a referral code", () => {
  it.each<[title: string, write: (code: string) => string]>([
    ["is accepted in lower case", (code) => code.toLowerCase()],
    ["is accepted in mixed case", (code) => code.replace(/[A-Z]/, (letter) => letter.toLowerCase())],
    ["is accepted with space around it", (code) => ` ${code} `],
  ])("%s", async (_, write) => {
    const { user, code } = await referrer();

    await profileOf(await newUser({ ref: write(code) }));

    expect(await profileOf(user)).toMatchObject({ usersReferred: 1 });
  });

  it("credits nobody if a code is given at a later sign-in", async () => {
    const { user, code } = await referrer();
    const friend = await newUser();
    await profileOf(friend);

    await profileOf({ ...friend, token: await issueToken({ sub: friend.id, ref: code }) });

    expect(await profileOf(user)).toMatchObject({ usersReferred: 0 });
    expect(await referralsOf(friend)).toMatchObject({ referredBy: null });
  });

  it("credits nobody at a later sign-in if the user already has a referrer", async () => {
    const [first, second] = [await referrer("First"), await referrer("Second")];
    const friend = await newUser({ ref: first.code });
    await profileOf(friend);

    const again = { ...friend, token: await issueToken({ sub: friend.id, ref: second.code }) };

    expect(await referralsOf(again)).toMatchObject({ referredBy: "First" });
    expect(await profileOf(first.user)).toMatchObject({ usersReferred: 1 });
    expect(await profileOf(second.user)).toMatchObject({ usersReferred: 0 });
  });

  it("credits the owner of a code once, however often the new user signs in", async () => {
    const { user, code } = await referrer();
    const friend = await newUser({ ref: code });

    for (let i = 0; i < 3; i++)
      await profileOf({ ...friend, token: await issueToken({ sub: friend.id, ref: code }) });

    expect(await profileOf(user)).toMatchObject({ usersReferred: 1 });
    expect((await referralsOf(user)).referrals).toHaveLength(1);
  });

  it("credits nobody if the user gives their own code", async () => {
    const { user, code } = await referrer();

    const again = { ...user, token: await issueToken({ sub: user.id, ref: code }) };

    expect(await referralsOf(again)).toMatchObject({ usersReferred: 0, referredBy: null, referrals: [] });
  });

  it.each<[title: string, ref: unknown]>([
    ["credits nobody if it is unknown", "22222222"],
    ["credits nobody if it is long", "A".repeat(1_000)],
    ["credits nobody if it is an object", { code: "22222222" }],
    ["credits nobody if it is a key of the table", "CATALOGUE"],
  ])("%s, and registers the user", async (_, ref) => {
    const { id, token } = await newUser();
    const user = { id, token: await signAsIssuer(claimsLike(token, { ref })) };

    expect(await referralsOf(user)).toMatchObject({ userID: id, referredBy: null });
  });
});

it("creates one profile and one credit from 50 simultaneous first requests of a referred user", async () => {
  const { user, code } = await referrer();
  const friend = await newUser({ ref: code });

  const answers = await Promise.all(Array.from({ length: 50 }, () => get("/getUserData", friend)));

  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
  expect(new Set(answers.map(({ json }) => (json as { refID: string }).refID)).size).toBe(1);
  expect(await profileOf(user)).toMatchObject({ usersReferred: 1 });
  expect((await referralsOf(user)).referrals).toHaveLength(1);
});

it("admits 20 referred users at once, and credits them through creditReferrals", async () => {
  const { user, code } = await referrer();
  const friends = await Promise.all(Array.from({ length: 20 }, () => newUser({ ref: code })));

  await Promise.all(friends.map(profileOf));

  const credits = async () => (await profileOf(user)).usersReferred;
  // The schedule also runs it every minute, so runs may overlap.
  const creditMore = async () => {
    await invokeFunction("creditReferrals", {});
    return credits();
  };
  await expect.poll(creditMore, { timeout: 60_000, interval: 200 }).toBe(20);
  expect((await referralsOf(user)).referrals).toHaveLength(20);
}, 90_000);

describe("the username", () => {
  it("takes the username from the token", async () => {
    expect(await profileOf(await newUser({ username: "Zoë 🚀" }))).toMatchObject({ username: "Zoë 🚀" });
  });

  it("keeps the username of the first sign-in", async () => {
    const user = await newUser({ username: "Before" });
    await profileOf(user);

    const again = { ...user, token: await issueToken({ sub: user.id, username: "After" }) };

    expect(await profileOf(again)).toMatchObject({ username: "Before" });
  });

  it.each(["user@mail.example", "line\nbreak"])(
    "generates a username if %j in the token is unsuitable",
    async (username) => {
      const profile = await profileOf(await newUser({ username }));

      expect(profile.username).toMatch(/^[\w-]{1,64}$/);
    },
  );
});

it("gives users whose ids share a prefix separate profiles", async () => {
  const first = await newUser({ username: "First" });
  const second = await newUser({ sub: `${first.id}#`, username: "Second" });
  const third = await newUser({ sub: `${first.id}1`, username: "Third" });

  const profiles = [await profileOf(first), await profileOf(second), await profileOf(third)];

  expect(profiles.map(({ username }) => username)).toEqual(["First", "Second", "Third"]);
});

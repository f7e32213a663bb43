import { describe, expect, it } from "vitest";
import { allowedAddresses, isPublicAddress, lookupOf } from "../../lib/devices/public-address.ts";

const hosts = (answers: Record<string, string[]>) => async (host: string) =>
  (answers[host] ?? []).map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));

describe("isPublicAddress", () => {
  it.each(["8.8.8.8", "93.184.215.14", "2606:4700::1111"])("accepts %s", (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });

  it.each([
    ...["127.0.0.1", "10.1.2.3", "172.16.0.1", "192.168.0.1", "169.254.169.254", "100.64.0.1", "0.0.0.0"],
    ...["192.0.2.1", "198.18.0.1", "224.0.0.1", "255.255.255.255", "240.0.0.1"],
    ...["::1", "::", "fe80::1", "fd00:ec2::254", "ff02::1", "2001:db8::1", "fec0::1"],
    ...[
      "::ffff:169.254.169.254",
      "::ffff:a9fe:a9fe",
      "64:ff9b::a9fe:a9fe",
      "2002:a9fe:a9fe::",
      "::127.0.0.1",
      "::7f00:1",
      "::a9fe:a9fe",
      "64:ff9b:1::a00:1",
      "4000::1",
    ],
    ...["localhost", "", "8.8.8.8.8"],
  ])("refuses %s", (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

describe("allowedAddresses", () => {
  const find = hosts({
    "good.example": ["8.8.8.8", "2606:4700::1111"],
    "half.example": ["8.8.8.8", "10.0.0.1"],
    "metadata.example": ["169.254.169.254"],
  });
  const found = (host: string) => allowedAddresses(host, isPublicAddress, find);

  it("finds the addresses of a host, or takes one from the URL", async () => {
    expect((await found("good.example")).map(({ address }) => address)).toEqual([
      "8.8.8.8",
      "2606:4700::1111",
    ]);
    expect(await found("8.8.4.4")).toEqual([{ address: "8.8.4.4", family: 4 }]);
    expect(await found("[2606:4700::1111]")).toEqual([{ address: "2606:4700::1111", family: 6 }]);
  });

  it.each(["metadata.example", "half.example", "unknown.example", "169.254.169.254", "[::1]"])(
    "refuses %s",
    async (host) => {
      await expect(found(host)).rejects.toMatchObject({ code: "NOT_PUBLIC" });
    },
  );

  it.each([
    "http://0x7f.1/",
    "http://2130706433/",
    "http://0177.0.0.1/",
    "http://[::127.0.0.1]/",
    "http://①②⑦.0.0.1/",
  ])("refuses this machine in the form %s", async (url) => {
    await expect(found(new URL(url).hostname)).rejects.toMatchObject({ code: "NOT_PUBLIC" });
  });
});

describe("lookupOf", () => {
  it("answers only with the checked addresses, whatever the name", () => {
    const lookup = lookupOf([{ address: "8.8.8.8", family: 4 }]);
    const answers: unknown[] = [];
    lookup("metadata.example", { all: true }, (...answer) => answers.push(answer));
    lookup("metadata.example", {}, (...answer) => answers.push(answer));
    expect(answers).toEqual([
      [null, [{ address: "8.8.8.8", family: 4 }]],
      [null, "8.8.8.8", 4],
    ]);
  });
});

import { describe, expect, it } from "vitest";
import { createRouteMatcher } from "../../src/http/paths.ts";

const paths = [
  "/",
  "/pets/{proxy+}",
  "/pets/{id}",
  "/pets/mine",
  "/pets/{id}/toys",
  "/pets/mine/toys/{toy}",
  "/{tenant}/pets",
  "/files/{path+}",
];

describe("createRouteMatcher", () => {
  describe.each([
    ["in the order of the template", paths],
    ["in the opposite order", paths.toReversed()],
  ])("matches paths of resources %s", (_, order) => {
    const match = createRouteMatcher(order.map((path) => ({ path })));

    it.each([
      ["/", "/", {}],
      ["/pets/mine", "/pets/mine", {}],
      ["/pets/mine/", "/pets/mine", {}],
      ["/pets/7", "/pets/{id}", { id: "7" }],
      ["/pets/7/", "/pets/{id}", { id: "7" }],
      ["/pets/Mine", "/pets/{id}", { id: "Mine" }],
      ["/pets/7/toys", "/pets/{id}/toys", { id: "7" }],
      ["/pets/mine/toys", "/pets/{id}/toys", { id: "mine" }],
      ["/pets/mine/toys/ball", "/pets/mine/toys/{toy}", { toy: "ball" }],
      ["/pets/7/toys/ball", "/pets/{proxy+}", { proxy: "7/toys/ball" }],
      ["/pets//toys", "/pets/{proxy+}", { proxy: "/toys" }],
      ["/acme/pets", "/{tenant}/pets", { tenant: "acme" }],
      ["/files/a/b", "/files/{path+}", { path: "a/b" }],
      ["/files/a//b/", "/files/{path+}", { path: "a//b" }],
      ["/files/%2e%2e/x", "/files/{path+}", { path: "%2e%2e/x" }],
      ["/files/../pets", "/files/{path+}", { path: "../pets" }],
      ["/pets/a%2Fb", "/pets/{id}", { id: "a%2Fb" }],
      ["/pets/test%2Balias@x.io", "/pets/{id}", { id: "test%2Balias@x.io" }],
      ["/pets/caf%C3%A9", "/pets/{id}", { id: "caf%C3%A9" }],
      ["/pets/__proto__", "/pets/{id}", { id: "__proto__" }],
    ])("matches %s with %s", (path, resource, pathParameters) => {
      expect(match(path)).toStrictEqual({ resource: { path: resource }, pathParameters });
    });

    it.each(["/nothing", "/PETS/mine", "/files", "/files/", "/pets", "/a/b/c", "/acme//pets"])(
      "matches no resource for %s",
      (path) => {
        expect(match(path)).toBeUndefined();
      },
    );
  });

  it.each(["/{a}-{b}", "/{proxy+}/more", "/{}", "/a{b}"])("refuses the resource path %s", (path) => {
    expect(() => createRouteMatcher([{ path }])).toThrow(/path part/);
  });
});

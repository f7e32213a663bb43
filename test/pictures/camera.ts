import { setTimeout as pause } from "node:timers/promises";
import type { Locator, Page } from "playwright-core";
import type { Frame } from "./frames.ts";

type Place = { x: number; y: number };

/** What `stage.js` adds to the page. */
type Stage = { stage: { reveal(element: unknown): void } };

/** Steps in which the pointer moves, and milliseconds of each. */
const glide = { steps: 6, ms: 45 } as const;

/** Milliseconds between two looks at a page on which something happens. */
const lookMs = 250;

const typedMs = 130;

export type Camera = {
  frames: readonly Frame[];
  /** Writes below the page what happens next. */
  say(text: string): Promise<void>;
  /** Shows the page for a time while it changes. */
  watch(ms: number): Promise<void>;
  /** Shows the page until something has happened. */
  until<Result>(happened: Promise<Result>): Promise<Result>;
  click(target: Locator): Promise<void>;
  /** Replaces the text of a field, letter by letter. */
  type(field: Locator, text: string): Promise<void>;
  /** Drags something up or down by a number of pixels. */
  drag(target: Locator, down: number): Promise<void>;
};

/** Records what a user does on a page, with the pointer. The page has to load `stage.js`. */
export function openCamera(page: Page): Camera {
  const frames: Frame[] = [];
  const { width = 0, height = 0 } = page.viewportSize() ?? {};
  let at: Place = { x: width / 2, y: height / 2 };

  async function shoot(ms: number, isWait = false): Promise<void> {
    frames.push({ png: await page.screenshot(), ms, isWait });
  }

  async function point(to: Place, isPressed = false): Promise<void> {
    at = to;
    await page.mouse.move(at.x, at.y);
    await page.evaluate(`stage.point(${at.x}, ${at.y}, ${isPressed})`);
  }

  async function glideTo(to: Place, isPressed = false): Promise<void> {
    const from = at;
    for (let step = 1; step <= glide.steps; step++) {
      // Starts and ends slowly, like a hand.
      const part = (1 - Math.cos((Math.PI * step) / glide.steps)) / 2;
      await point({ x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part }, isPressed);
      await shoot(glide.ms);
    }
  }

  async function placeOf(target: Locator): Promise<Place> {
    await target.evaluate((element: unknown) => (globalThis as unknown as Stage).stage.reveal(element));
    const box = await target.boundingBox();
    if (box === null) throw new Error(`Nothing to point at: ${target}`);
    const { x, y, width, height } = box;
    return { x: Math.round(x + Math.min(width / 2, 90)), y: Math.round(y + height / 2) };
  }

  async function goTo(target: Locator): Promise<void> {
    await glideTo(await placeOf(target));
    // The page may have moved the target in the meantime.
    await point(await placeOf(target));
  }

  /** Shows the page until a signal ends it, at most as often as it is worth looking. */
  async function look(isOver: () => boolean, isWait: boolean): Promise<void> {
    while (!isOver()) {
      const startMs = performance.now();
      await shoot(lookMs, isWait);
      await pause(Math.max(0, startMs + lookMs - performance.now()));
    }
  }

  async function click(target: Locator): Promise<void> {
    await goTo(target);
    await point(at, true);
    await page.mouse.down();
    await shoot(180);
    await page.mouse.up();
    await point(at);
    await shoot(120);
  }

  return {
    frames,
    async say(text) {
      await page.evaluate(`stage.say(${JSON.stringify(text)})`);
    },
    async watch(ms) {
      let left = Math.ceil(ms / lookMs);
      await look(() => left-- <= 0, false);
    },
    async until(happened) {
      let isOver = false;
      const end = () => {
        isOver = true;
      };
      happened.then(end, end);
      // Something that has happened already ends the look before its first frame.
      await pause(0);
      await look(() => isOver, true);
      return happened;
    },
    click,
    async type(field, text) {
      await click(field);
      await page.keyboard.press("ControlOrMeta+a");
      for (const letter of text) {
        await page.keyboard.type(letter);
        await shoot(typedMs);
      }
    },
    async drag(target, down) {
      await goTo(target);
      await page.mouse.down();
      await point(at, true);
      await shoot(200);
      await glideTo({ x: at.x, y: at.y + down }, true);
      await page.mouse.up();
      await point(at);
      await shoot(150);
    },
  };
}

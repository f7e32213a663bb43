import { useEffect } from "preact/hooks";

const isUsable = (element: Element | undefined): element is HTMLElement =>
  element instanceof HTMLElement && element.isConnected && !element.matches(":disabled");

const isLost = () => document.activeElement === document.body || document.activeElement === null;

/** Lists an element and all elements around it, from the inside. */
const withAncestors = (element: Element | null): Element[] =>
  element === null ? [] : [element, ...withAncestors(element.parentElement)];

/**
 * Keeps the focus on the page. A browser drops it when its element is disabled or removed, and the next Tab would start
 * at the top. So it moves to the innermost part of the page that is left around the element, and returns once the
 * element can be used again. It stays away where the user has taken it away.
 */
export function useKeptFocus(): void {
  useEffect(() => {
    let path: Element[] = [];
    let lost: Element | undefined;
    let stand: HTMLElement | undefined;
    function onFocus({ target }: FocusEvent) {
      path = withAncestors(target as Element);
      if (target !== stand) lost = undefined;
    }
    // Decides after the change of the page that may have caused it.
    const onBlur = ({ target }: FocusEvent) =>
      queueMicrotask(() => {
        if (isLost() && isUsable(target as Element)) path = [];
      });
    function mend() {
      if (isUsable(lost) && document.activeElement === stand) return lost.focus({ preventScroll: true });
      if (!isLost() || path.length === 0) return;
      lost = path[0];
      const parts = path.filter((each) => each.matches("section, main, dialog"));
      const next = parts.find(isUsable) ?? document.querySelector<HTMLElement>("main");
      if (!next) return;
      stand = next;
      if (!next.hasAttribute("tabindex")) next.tabIndex = -1;
      next.focus({ preventScroll: true });
    }
    const observer = new MutationObserver(() => {
      // The browser drops the focus when it draws the page next.
      if ((path.length > 0 && !isUsable(path[0])) || isUsable(lost))
        requestAnimationFrame(() => setTimeout(mend));
    });
    observer.observe(document.body, { subtree: true, childList: true, attributeFilter: ["disabled"] });
    addEventListener("focusin", onFocus);
    addEventListener("focusout", onBlur);
    return () => {
      observer.disconnect();
      removeEventListener("focusin", onFocus);
      removeEventListener("focusout", onBlur);
    };
  }, []);
}

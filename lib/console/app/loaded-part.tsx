import type { ComponentType } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Unread } from "./controls.tsx";

/**
 * Makes a part of the page whose script is loaded when it is first shown.
 *
 * @param what Names the part in texts, such as "chart"
 * @param className Style of the place that is kept for it
 */
export function loadedPart<Props extends object>(
  what: string,
  className: string,
  load: () => Promise<ComponentType<Props>>,
) {
  let Part: ComponentType<Props> | undefined;
  return (props: Props) => {
    const [isLoaded, setLoaded] = useState(Part && true);
    useEffect(() => {
      if (Part !== undefined) return;
      const keep = (part: ComponentType<Props>) => {
        Part = part;
        setLoaded(true);
      };
      load().then(keep, () => setLoaded(false));
    }, []);
    if (Part !== undefined) return <Part {...props} />;
    // A browser loads a script that has failed only with the next page.
    if (isLoaded === false) return <Unread what={what} onRetry={() => location.reload()} />;
    return <p class={className}>Loading the {what} …</p>;
  };
}

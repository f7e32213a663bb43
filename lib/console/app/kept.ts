import { createContext } from "preact";
import { useContext, useState } from "preact/hooks";

/** Keeps the state of lists while another list is shown in their place. */
export const KeptContext = createContext<Map<string, unknown> | undefined>(undefined);

/** Works as `useState`, but a list that is shown again continues with its last value. Names are unique. */
export function useKept<Value>(name: string, initial: Value) {
  const kept = useContext(KeptContext);
  const [value, setValue] = useState(() => (kept?.has(name) ? (kept.get(name) as Value) : initial));
  kept?.set(name, value);
  return [value, setValue] as const;
}

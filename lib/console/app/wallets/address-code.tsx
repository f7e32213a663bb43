import { encode } from "uqr";

/**
 * Shows an address as a QR code. The code is dark on light in both themes, because many cameras cannot read other
 * colours.
 */
export function AddressCode({ address }: { address: string }) {
  const { data, size } = encode(address, { border: 2 });
  const path = data
    .flatMap((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : "")))
    .join("");
  return (
    <svg class="code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={`QR code of ${address}`}>
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}

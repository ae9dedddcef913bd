const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** `1.4 GB`, in powers of ten. */
export function inBytes(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, bytes)) / 3)))
  const amount = bytes / 1000 ** power
  return `${amount.toFixed(power === 0 || amount >= 100 ? 0 : 1)} ${UNITS[power]}`
}

const CURSOR = /^[A-Za-z0-9_-]{2,20}$/
const ID = /^[1-9]\d{0,14}$/

/** Where a page ended, as text for `?after=`. What it is made of is ours to change. */
export function cursorOf(id: number): string {
  return Buffer.from(String(id)).toString('base64url')
}

/** The id that a cursor of ours is made of; null for any other text. */
export function asCursor(text: string): number | null {
  const id = CURSOR.test(text) ? Buffer.from(text, 'base64url').toString('latin1') : ''
  return ID.test(id) && cursorOf(Number(id)) === text ? Number(id) : null
}

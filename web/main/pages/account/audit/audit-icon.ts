import type { IconName } from '../../../../pieces/icon.js'

const ICONS: readonly (readonly [actions: RegExp, icon: IconName])[] = [
  [/^(log|session|refresh|handoff|reauth|rate|origin)/, 'key'],
  [/^(billing|checkout|entitlements|webhook)/, 'card'],
  [/^satellite/, 'globe'],
  [/^(user|invitation|permissions)/, 'team'],
  [/^(password|factor|passkey|recovery|second|device)/, 'shield'],
  [/^(email|profile|person|signup)/, 'person'],
  [/^mail/, 'mail'],
]

/** The icon for an action of the audit log. */
export function iconOf(action: string): IconName {
  return ICONS.find(([actions]) => actions.test(action))?.[1] ?? 'settings'
}

import type { Option } from '../../../../pieces/forms/choice.js'
import { t } from '../../../../pieces/language/t.js'
import type { Satellite } from '../../../answers.js'

const HOUR = 60 * 60
const DAY = 24 * HOUR
const USUAL_SECONDS = [HOUR, 8 * HOUR, DAY, 7 * DAY, 30 * DAY]
/** The maximum for preview sessions. */
const PREVIEW_SECONDS = 8 * HOUR

/** The possible lifetimes of sessions, including the current one, which may not be among the usual ones. */
export function sessionOptions(kind: Satellite['kind'], chosen: number | null): Option[] {
  const usual = USUAL_SECONDS.filter(seconds => kind === 'production' || seconds <= PREVIEW_SECONDS)
  const all = [...new Set([...usual, ...(chosen === null ? [] : [chosen])])].sort((a, b) => a - b)
  return [
    ...(kind === 'production' || chosen === null
      ? [{ value: '', name: t('satelliteSettings.usualSession') }]
      : []),
    ...all.map(seconds => ({ value: String(seconds), name: durationText(seconds) })),
  ]
}

function durationText(seconds: number): string {
  if (seconds % DAY === 0) return t('duration.days', { count: seconds / DAY })
  if (seconds % HOUR === 0) return t('duration.hours', { count: seconds / HOUR })
  return t('duration.minutes', { count: Math.round(seconds / 60) })
}

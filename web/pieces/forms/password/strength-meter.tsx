import { useEffect, useState } from 'react'
import { t } from '../../language/t.js'
import { site } from '../../site/site.js'
import type { Level } from './strength.js'

type Measure = (password: string, words: readonly string[]) => Level

const levels = (): Readonly<Record<Level, { readonly text: string; readonly look: string }>> => ({
  1: { text: t('strength.weak'), look: 'weak' },
  2: { text: t('strength.fair'), look: 'fair' },
  3: { text: t('strength.good'), look: 'good' },
  4: { text: t('strength.veryGood'), look: 'good' },
})

/**
 * How hard a password is to guess, as it is typed. The code that measures it is large, so it is loaded when
 * somebody is about to choose a password; without it, only the service checks.
 */
export function StrengthMeter({ password, email }: { readonly password: string; readonly email: string }) {
  const [measure, setMeasure] = useState<{ readonly levelOf: Measure } | null>(null)
  useEffect(() => {
    let isGone = false
    import('./strength.js').then(
      loaded => !isGone && setMeasure(loaded),
      () => undefined,
    )
    return () => {
      isGone = true
    }
  }, [])
  if (!measure || password === '') return null
  const words = [site.name, location.hostname, email, ...email.split('@')].filter(Boolean)
  const level = measure.levelOf(password, words)
  const { text, look } = levels()[level]
  return (
    <>
      <div className={`strength ${look}`} aria-hidden="true">
        {[1, 2, 3, 4].map(bar => (
          <span key={bar} className={bar <= level ? 'lit' : ''} />
        ))}
      </div>
      <small role="status">{text}</small>
    </>
  )
}

import { useRef, useState } from 'react'
import { Icon } from '../icon.js'
import { Failure } from '../notices/notice.js'
import { languageNames, setLanguage } from './language.js'
import { i18n, t } from './t.js'

/**
 * The language of the page, for people who want one other than the browser's; nothing where there is only
 * one. `keep` tells the service, so that its mails follow.
 */
export function LanguageChoice({ keep }: { readonly keep?: (language: string) => Promise<unknown> }) {
  const [error, setError] = useState<unknown>(null)
  const last = useRef<Promise<unknown>>(Promise.resolve())
  // Not an action: somebody who has made a mistake chooses again, before the service has heard of the first choice.
  // One after the other, so that the last one stays.
  const change = (language: string) => {
    setError(null)
    const change = last.current
      .then(() => setLanguage(language))
      .then(() => keep?.(language))
      .catch((failure: unknown) => {
        if (last.current === change) setError(failure)
      })
    last.current = change
  }
  const names = languageNames()
  if (names.length < 2) return null
  return (
    <>
      <label className="language">
        <span className="unseen">{t('language.label')}</span>
        <Icon name="globe" />
        <select value={i18n.locale} onChange={event => change(event.target.value)}>
          {names.map(([language, name]) => (
            <option key={language} value={language} lang={language}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <Failure error={error} />
    </>
  )
}

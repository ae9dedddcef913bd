import { useAction } from '../forms/use-action.js'
import { Icon } from '../icon.js'
import { Failure } from '../notices/notice.js'
import { languageNames, setLanguage } from './language.js'
import { i18n, t } from './t.js'

/**
 * The language of the page, for people who want one other than the browser's; nothing where there is only
 * one. `keep` tells the service, so that its mails follow.
 */
export function LanguageChoice({ keep }: { readonly keep?: (language: string) => Promise<unknown> }) {
  const change = useAction(async (language: string) => {
    await setLanguage(language)
    await keep?.(language)
  })
  const names = languageNames()
  if (names.length < 2) return null
  return (
    <>
      <label className="language">
        <span className="unseen">{t('language.label')}</span>
        <Icon name="globe" />
        <select value={i18n.locale} onChange={event => void change.run(event.target.value)}>
          {names.map(([language, name]) => (
            <option key={language} value={language} lang={language}>
              {name}
            </option>
          ))}
        </select>
      </label>
      <Failure error={change.error} />
    </>
  )
}

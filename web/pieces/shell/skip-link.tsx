import { t } from '../language/t.js'

/** Past the navigation, for whoever uses the keyboard. */
export function SkipLink() {
  return (
    <a className="skip" href="#content">
      {t('nav.skip')}
    </a>
  )
}

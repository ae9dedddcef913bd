import { t } from '../language/t.js'

/** Skips the navigation, for keyboard users. */
export function SkipLink() {
  return (
    <a className="skip" href="#content">
      {t('nav.skip')}
    </a>
  )
}

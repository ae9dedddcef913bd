import { t } from '../language/t.js'
import { hostOf } from './site.js'

/** Ways to the sites where somebody works. Of previews there are many, so there is no way to one. */
export function SiteLinks({ origins }: { readonly origins: readonly string[] }) {
  return origins
    .filter(origin => !origin.includes('*'))
    .map(origin => (
      <a key={origin} href={origin}>
        {t('common.goTo', { host: hostOf(origin) })}
      </a>
    ))
}

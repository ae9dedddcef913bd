import { type ComponentType, lazy } from 'react'
import { t } from '../language/t.js'
import { SmallPage } from '../page.js'

/**
 * A page whose script is loaded when it is first shown. If it cannot be loaded, because there is no network
 * or a new version has replaced it, the page says so.
 */
export function lazyPage<Props>(load: () => Promise<ComponentType<Props>>) {
  return lazy(() => load().then(asModule, () => asModule<Props>(NotLoaded)))
}

function asModule<Props>(page: ComponentType<Props>) {
  return { default: page }
}

function NotLoaded() {
  return (
    <SmallPage title={t('notLoaded.title')}>
      <p>{t('notLoaded.about')}</p>
      <div className="actions">
        <button type="button" className="primary" onClick={() => location.reload()}>
          {t('notLoaded.again')}
        </button>
      </div>
    </SmallPage>
  )
}

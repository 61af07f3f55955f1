import { html } from 'hono/html';
import { icon } from './icon.ts';
import type { Markup } from './markup.ts';

/** Where code is dropped or chosen, and how far its upload is. A script of the page does the work. */
export function dropZone(): Markup {
  return html`<div class="drop" data-drop>
${icon('upload')}
<p><b>Drop a folder or a zip here</b></p>
<p class="hint">A folder is zipped in the browser. At most 32 MiB; <code>node_modules</code>, <code>.git</code> and virtual environments stay out.</p>
<div class="line"><button type="button" data-choose="folder">${icon('folder')}Choose folder</button><button type="button" data-choose="zip">${icon('file')}Choose zip</button></div>
<input type="file" data-input="folder" webkitdirectory multiple hidden aria-label="Folder of code">
<input type="file" data-input="zip" accept=".zip,application/zip" hidden aria-label="Zip of code">
</div>
<div class="upload-state" data-upload-state role="status" hidden></div>
<progress data-upload-bar max="100" value="0" hidden aria-label="Upload"></progress>
<p class="notice bad" data-upload-error role="alert" hidden></p>`;
}

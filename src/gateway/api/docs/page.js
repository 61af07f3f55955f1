// Shows the document. Swagger UI comes as a classic script, which leaves one global.
const place = document.getElementById('document');

globalThis.SwaggerUIBundle({
  domNode: place,
  url: place.dataset.url,
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: 'list',
  filter: true,
  // Whether the document is sound is for our tests to say; nothing of it goes to anyone else's service.
  validatorUrl: null,
  // A token lives as long as the page: what is stored here is read by whatever else runs on this host.
  persistAuthorization: false,
});

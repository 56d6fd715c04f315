# Pages of web servers, as Ruby's libraries `net/http` and `open-uri` get them: by GET and POST, redirections followed.

module Net
  class HTTPResponse
    attr_reader :code, :body, :uri

    def initialize(code, body, uri)
      @code = code.to_s
      @body = body
      @uri = uri
    end

    def [](_name)
      nil
    end

    def message
      { '200' => 'OK', '201' => 'Created', '204' => 'No Content', '400' => 'Bad Request', '401' => 'Unauthorized',
        '403' => 'Forbidden', '404' => 'Not Found', '500' => 'Internal Server Error' }.fetch(@code, '')
    end

    def read_body
      block_given? ? yield(@body) : @body
    end

    def value
      raise Net::HTTPServerException, "#{code} \"#{message}\"" unless is_a?(Net::HTTPSuccess)
    end
  end

  class HTTPSuccess < HTTPResponse; end
  class HTTPOK < HTTPSuccess; end
  class HTTPCreated < HTTPSuccess; end
  class HTTPNoContent < HTTPSuccess; end
  class HTTPRedirection < HTTPResponse; end
  class HTTPMovedPermanently < HTTPRedirection; end
  class HTTPFound < HTTPRedirection; end
  class HTTPNotModified < HTTPRedirection; end
  class HTTPClientError < HTTPResponse; end
  class HTTPBadRequest < HTTPClientError; end
  class HTTPUnauthorized < HTTPClientError; end
  class HTTPForbidden < HTTPClientError; end
  class HTTPNotFound < HTTPClientError; end
  class HTTPServerError < HTTPResponse; end
  class HTTPInternalServerError < HTTPServerError; end
  class ProtocolError < StandardError; end
  class HTTPServerException < ProtocolError; end
  class HTTPFatalError < ProtocolError; end
  class OpenTimeout < StandardError; end
  class ReadTimeout < StandardError; end
  class HTTPBadResponse < StandardError; end
  class HTTPHeaderSyntaxError < StandardError; end

  class HTTPGenericRequest
    attr_accessor :body
    attr_reader :path, :user, :password, :headers

    def initialize(path, headers = nil)
      @path = path.respond_to?(:request_uri) ? path.request_uri : path
      @headers = (headers || {}).transform_keys(&:to_s)
    end

    def basic_auth(user, password)
      @user = user
      @password = password
    end

    def []=(name, value)
      @headers.delete_if { |known, _| known.casecmp?(name) }
      @headers[name] = value unless value.nil?
    end

    def [](name)
      @headers.find { |known, _| known.casecmp?(name) }&.last
    end

    def add_field(name, value)
      self[name] = [self[name], value].compact.join(', ')
    end

    def content_type=(value)
      self['Content-Type'] = value
    end

    def set_content_type(value, _params = {})
      self.content_type = value
    end

    def set_form_data(params, _separator = '&')
      self.body = URI.encode_www_form(params)
      self.content_type = 'application/x-www-form-urlencoded'
    end
    alias form_data= set_form_data

    def posts?
      false
    end
  end

  class HTTP
    CODES = { 200 => HTTPOK, 201 => HTTPCreated, 204 => HTTPNoContent, 301 => HTTPMovedPermanently, 302 => HTTPFound,
              304 => HTTPNotModified, 400 => HTTPBadRequest, 401 => HTTPUnauthorized, 403 => HTTPForbidden,
              404 => HTTPNotFound, 500 => HTTPInternalServerError }.freeze
    KINDS = { 2 => HTTPSuccess, 3 => HTTPRedirection, 4 => HTTPClientError, 5 => HTTPServerError }.freeze

    class Get < HTTPGenericRequest; end

    class Post < HTTPGenericRequest
      def posts?
        true
      end
    end

    attr_accessor :use_ssl, :verify_mode, :open_timeout, :read_timeout, :ca_file, :ca_path, :cert, :key, :ssl_timeout
    attr_reader :address, :port

    def self.response(url, request = nil)
      post = request&.posts? ? request.body.to_s : nil
      code, body = __fetch(url.to_s, request&.user, request&.password, post, request&.headers)
      (CODES[code] || KINDS[code / 100] || HTTPResponse).new(code, body, url)
    end

    def self.get_response(url, path = nil, port = nil)
      return response("http://#{url}:#{port || 80}#{path}") if url.is_a?(String)

      response(url, Get.new(url, path))
    end

    def self.get(url, path = nil, port = nil)
      get_response(url, path, port).body
    end

    def self.post(url, body, headers = nil)
      request = Post.new(url, headers)
      request.body = body
      response(url, request)
    end

    def self.post_form(url, params)
      request = Post.new(url)
      request.form_data = params
      response(url, request)
    end

    def self.start(address, port = nil, *rest)
      http = new(address, port)
      options = rest.last.is_a?(Hash) ? rest.last : {}
      http.use_ssl = options[:use_ssl]
      block_given? ? yield(http) : http
    end

    def initialize(address, port = nil, *_proxy)
      @address = address
      @port = port || 80
      @use_ssl = false
    end

    def use_ssl?
      @use_ssl ? true : false
    end

    def start
      block_given? ? yield(self) : self
    end

    def request(request, body = nil)
      request.body = body if body
      usual = @use_ssl ? 443 : 80
      place = @port.to_i == usual ? @address : "#{@address}:#{@port}"
      response = HTTP.response("#{@use_ssl ? 'https' : 'http'}://#{place}#{request.path}", request)
      yield response if block_given?
      response
    end

    def get(path, headers = nil)
      request(Get.new(path, headers))
    end

    def request_get(path, headers = nil, &block)
      request(Get.new(path, headers), &block)
    end

    def post(path, body, headers = nil)
      request(Post.new(path, headers), body)
    end

    def finish; end
  end

  class HTTPS < HTTP; end
end

module OpenURI
  class HTTPError < StandardError
    attr_reader :io

    def initialize(message, io)
      super(message)
      @io = io
    end
  end

  def self.open_uri(url, *rest)
    options = rest.last.is_a?(Hash) ? rest.last : {}
    request = Net::HTTP::Get.new(URI(url.to_s), options.select { |name, _| name.is_a?(String) })
    request.basic_auth(*options[:http_basic_authentication]) if options[:http_basic_authentication]
    response = Net::HTTP.response(url, request)
    unless response.is_a?(Net::HTTPSuccess)
      raise HTTPError.new("#{response.code} #{response.message}", StringIO.new(response.body))
    end

    stream = StringIO.new(response.body)
    block_given? ? yield(stream) : stream
  end
end

# frozen_string_literal: true

require 'spec_helper'

SERVICES = { 'RedHat' => 'cached' }.freeze

describe 'cache' do
  shared_examples 'a cache' do |size|
    it { is_expected.to contain_file('/etc/cache.conf').with_content(%r{^size = #{size}$}) }
  end

  on_supported_os.each do |os, os_facts|
    context "on #{os}" do
      let(:facts) { os_facts }
      let(:service) { SERVICES.fetch(os_facts[:os]['family'], 'cache') }

      it { is_expected.to compile.with_all_deps }
      it { is_expected.to contain_class('cache') }
      it { is_expected.to contain_service(service).with_ensure('running').with(enable: true) }

      it_behaves_like 'a cache', 16

      it 'orders its resources' do
        is_expected.to contain_file('/etc/cache.conf')
          .with_mode('0644')
          .without_owner
          .that_requires('Package[cache]')
          .that_notifies("Service[#{service}]")
      end

      context 'with more space' do
        let(:params) { { size: 32 } }

        it_behaves_like 'a cache', 32

        context 'and options' do
          let(:params) { super().merge(options: { 'level' => 'high' }) }

          it { is_expected.to contain_file('/etc/cache.conf').with_content("size = 32\nlevel = high\n") }
        end
      end

      case os_facts[:os]['family']
      when 'RedHat'
        it { is_expected.not_to contain_service('cache') }
      else
        it { is_expected.not_to contain_service('cached') }
      end

      context 'with a secret' do
        let(:params) { { secret: sensitive('hidden') } }

        it { is_expected.to contain_file('/etc/cache.secret') }
      end

      # rspec-puppet writes `nil` to the manifest, in which it is a string.
      context 'with a directory' do
        let(:params) { { directory: '/etc/cache.d', label: nil } }

        it { is_expected.to contain_file('/etc/cache.d/label').with_content(%r{^nil \h+:}) }
        # The type `file` implies this order.
        it { is_expected.to contain_file('/etc/cache.d/label').that_requires('File[/etc/cache.d]') }

        context 'without IPv6' do
          let(:facts) do
            os_facts.reject { |name, value| name == :ipaddress6 || (name == :networking && value.key?('ip6')) }
          end

          it { is_expected.to contain_file('/etc/cache.d/label').with_content("nil \n") }
        end
      end

      context "under Facter #{os_facts[:facterversion]} and Puppet #{os_facts[:puppetversion]}" do
        it { is_expected.to contain_file('/etc/cache.conf').with_ensure('file') }
      end

      it { is_expected.to have_service_resource_count(1) }
      it { is_expected.to have_class_count(1) }
      it { is_expected.to have_resource_count(3) }
      it { is_expected.to contain_package('cache').only_with_ensure('installed') }
    end
  end

  context 'on a system that is not supported' do
    let(:facts) { { os: { 'family' => 'Windows', 'name' => 'windows' } } }

    it { is_expected.to compile.and_raise_error(%r{no cache on windows}) }
    it { expect { is_expected.to compile }.to raise_error(Puppet::Error, %r{no cache}i) }
    it { is_expected.to raise_error(Puppet::Error) }
    it { is_expected.not_to compile }
  end

  # What test files cannot say.
  context 'with other things' do
    let(:facts) { on_supported_os['debian-12-x86_64'] }

    it { expect(catalogue.resources.length).to eq(9) }
    it { expect(catalogue.resource('file', '/etc/cache.conf')[:content].split("\n")).to include('size = 16') }
    it { expect(catalogue.resource('file', '/etc/cache.conf').send(:parameters)[:content]).not_to match(%r{^level}) }
    it { is_expected.to contain_file('/etc/cache.conf').with_content(->(text) { text.size > 3 }) }
    it { is_expected.not_to contain_file('/etc/cache.conf').with_mode('0600') }
    it 'is pending'
  end
end
